// The step of insertion sort: brings the next element to its place among those before it.
int insertion(int* data, long n) {
  int moves = 0;
  for (long i = 1; i < n; i++) {
    int x = data[i];
    long j = i;
    while (j > 0 && data[j - 1] > x) {
      data[j] = data[j - 1];
      j--;
      moves++;
    }
    data[j] = x;
  }
  return moves;
}

unsigned drive(unsigned seed) {
  int data[60];
  for (long i = 0; i < 60; i++) {
    seed = seed * 1103515245 + 12345;
    data[i] = (seed >> 16) & 255;
  }
  unsigned sum = insertion(data, 60);
  for (long i = 0; i < 60; i++) sum = sum * 31 + data[i];
  return sum;
}
