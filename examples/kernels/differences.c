// The sum of absolute differences of two blocks, as in a search for motion; gives up above the best so far.
int differences(unsigned char* a, unsigned char* b, long rows, long stride, int best) {
  int sum = 0;
  for (long y = 0; y < rows; y++) {
    for (long x = 0; x < 8; x++) {
      int d = a[x] - b[x];
      if (d < 0) d = -d;
      sum += d;
    }
    if (sum >= best) return best;
    a += stride;
    b += stride;
  }
  return sum;
}

unsigned drive(unsigned seed) {
  unsigned char image[512];
  for (long i = 0; i < 512; i++) {
    seed = seed * 1103515245 + 12345;
    image[i] = (seed >> 16 & 63) + i % 32 * 4;
  }
  int best = 100000;
  unsigned sum = 0;
  for (long i = 0; i < 24; i++) {
    best = differences(image, image + 256 + i, 8, 32, best);
    sum = sum * 31 + best;
  }
  return sum;
}
