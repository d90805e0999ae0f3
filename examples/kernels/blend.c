// Blends a line of an image over another; pixels that are clear or solid need no product.
int blend(int* to, int* from, int* alpha, long n) {
  int products = 0;
  for (long i = 0; i < n; i++) {
    int a = alpha[i];
    if (a == 0) continue;
    if (a == 255) {
      to[i] = from[i];
    } else {
      int mixed = a * from[i] + (255 - a) * to[i] + 128;
      to[i] = (mixed + (mixed >> 8)) >> 8;
      products++;
    }
  }
  return products;
}

unsigned drive(unsigned seed) {
  int to[200];
  int from[200];
  int alpha[200];
  for (long i = 0; i < 200; i++) {
    seed = seed * 1103515245 + 12345;
    to[i] = (seed >> 16) & 255;
    from[i] = (seed >> 20) & 255;
    int a = (seed >> 12) & 511;
    alpha[i] = a > 255 ? (a & 1) * 255 : a;
  }
  unsigned sum = blend(to, from, alpha, 200);
  for (long i = 0; i < 200; i++) sum = sum * 31 + to[i];
  return sum;
}
