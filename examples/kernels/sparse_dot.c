// A product of vectors that skips zeros and keeps out what is too large.
int sparse_dot(int* a, int* b, long n, int limit) {
  int sum = 0;
  for (long i = 0; i < n; i++) {
    int x = a[i];
    if (x == 0) continue;
    int product = x * b[i];
    if (product > limit || product < -limit) continue;
    sum += product;
  }
  return sum;
}

unsigned drive(unsigned seed) {
  int a[200];
  int b[200];
  for (long i = 0; i < 200; i++) {
    seed = seed * 1103515245 + 12345;
    int x = (short)(seed >> 16) % 40;
    a[i] = x > 10 ? x : 0;
    b[i] = (short)(seed >> 20) % 100;
  }
  return sparse_dot(a, b, 200, 900);
}
