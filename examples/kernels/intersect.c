// What two sorted arrays have in common.
long intersect(int* out, int* a, long n, int* b, long m) {
  long i = 0;
  long j = 0;
  long k = 0;
  while (i < n && j < m) {
    int x = a[i];
    int y = b[j];
    if (x < y) {
      i++;
    } else if (y < x) {
      j++;
    } else {
      out[k] = x;
      i++;
      j++;
      k++;
    }
  }
  return k;
}

unsigned drive(unsigned seed) {
  int a[100];
  int b[100];
  int out[100];
  int x = 0;
  int y = 0;
  for (long i = 0; i < 100; i++) {
    seed = seed * 1103515245 + 12345;
    x += (seed >> 16) & 3;
    y += (seed >> 24) & 3;
    a[i] = x;
    b[i] = y;
  }
  long k = intersect(out, a, 100, b, 100);
  unsigned sum = k;
  for (long i = 0; i < k; i++) sum = sum * 31 + out[i];
  return sum;
}
