// A histogram of the samples above a threshold, with the last bin for all that is too large.
int histogram(int* bins, unsigned short* in, long n, int threshold) {
  int counted = 0;
  for (long i = 0; i < n; i++) {
    int x = in[i];
    if (x >= threshold) {
      long bin = (x - threshold) >> 4;
      if (bin > 15) bin = 15;
      bins[bin]++;
      counted++;
    }
  }
  return counted;
}

unsigned drive(unsigned seed) {
  unsigned short in[250];
  int bins[16];
  for (long i = 0; i < 16; i++) bins[i] = 0;
  for (long i = 0; i < 250; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (seed >> 16) & 511;
  }
  unsigned sum = histogram(bins, in, 250, 180);
  for (long i = 0; i < 16; i++) sum = sum * 31 + bins[i];
  return sum;
}
