// Undoes Paeth's filter of PNG: the neighbour that is nearest to left + up - corner predicts a sample.
int paeth(unsigned char* row, unsigned char* above, long n) {
  int left = 0;
  int corner = 0;
  int sum = 0;
  for (long i = 0; i < n; i++) {
    int up = above[i];
    int to_left = up - corner;
    int to_up = left - corner;
    int to_corner = to_left + to_up;
    if (to_left < 0) to_left = -to_left;
    if (to_up < 0) to_up = -to_up;
    if (to_corner < 0) to_corner = -to_corner;
    int guess = corner;
    if (to_left <= to_up && to_left <= to_corner)
      guess = left;
    else if (to_up <= to_corner)
      guess = up;
    left = (row[i] + guess) & 255;
    row[i] = left;
    corner = up;
    sum += left;
  }
  return sum;
}

unsigned drive(unsigned seed) {
  unsigned char row[150];
  unsigned char above[150];
  for (long i = 0; i < 150; i++) {
    seed = seed * 1103515245 + 12345;
    row[i] = seed >> 16;
    above[i] = seed >> 24;
  }
  unsigned sum = paeth(row, above, 150);
  for (long i = 0; i < 150; i++) sum = sum * 31 + row[i];
  return sum;
}
