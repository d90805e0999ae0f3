// Merges two sorted arrays into one.
int merge(int* out, int* a, long n, int* b, long m) {
  long i = 0;
  long j = 0;
  long k = 0;
  while (i < n || j < m) {
    int x;
    if (j == m) {
      x = a[i++];
    } else if (i == n) {
      x = b[j++];
    } else if (a[i] <= b[j]) {
      x = a[i++];
    } else {
      x = b[j++];
    }
    out[k++] = x;
  }
  return k;
}

unsigned drive(unsigned seed) {
  int a[100];
  int b[100];
  int out[200];
  int x = 0;
  int y = 0;
  for (long i = 0; i < 100; i++) {
    seed = seed * 1103515245 + 12345;
    x += (seed >> 16) & 63;
    y += (seed >> 24) & 31;
    a[i] = x;
    b[i] = y;
  }
  unsigned sum = merge(out, a, 100, b, 100);
  for (long i = 0; i < 200; i++) sum = sum * 31 + out[i];
  return sum;
}
