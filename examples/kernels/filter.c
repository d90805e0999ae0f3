// Keeps the numbers of an array that lie between two limits.
long filter(int* out, int* in, long n, int low, int high) {
  long kept = 0;
  for (long i = 0; i < n; i++) {
    int x = in[i];
    if (x >= low && x < high) {
      out[kept] = x;
      kept++;
    }
  }
  return kept;
}

unsigned drive(unsigned seed) {
  int in[200];
  int out[200];
  for (long i = 0; i < 200; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (seed >> 16) & 1023;
  }
  long kept = filter(out, in, 200, 300, 700);
  unsigned sum = kept;
  for (long i = 0; i < kept; i++) sum = sum * 31 + out[i];
  return sum;
}
