// Median filter: each sample becomes the middle one of itself and its two neighbours.
int median(int* out, int* in, long n) {
  int changed = 0;
  for (long i = 1; i < n - 1; i++) {
    int a = in[i - 1];
    int b = in[i];
    int c = in[i + 1];
    int m;
    if (a < b) {
      if (b < c)
        m = b;
      else if (a < c)
        m = c;
      else
        m = a;
    } else {
      if (a < c)
        m = a;
      else if (b < c)
        m = c;
      else
        m = b;
    }
    if (m != b) changed++;
    out[i] = m;
  }
  return changed;
}

unsigned drive(unsigned seed) {
  int in[150];
  int out[150];
  for (long i = 0; i < 150; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (short)(seed >> 16) % 1000;
  }
  unsigned sum = median(out, in, 150);
  for (long i = 1; i < 149; i++) sum = sum * 31 + out[i];
  return sum;
}
