// Quantisation as in image coders: divides by a step, rounds away from zero, and counts what is not zero.
int quantise(short* out, short* in, long n, int step) {
  int nonzero = 0;
  int half = step / 2;
  for (long i = 0; i < n; i++) {
    int x = in[i];
    int q;
    if (x >= 0)
      q = (x + half) / step;
    else
      q = -((half - x) / step);
    if (q != 0) nonzero++;
    out[i] = q;
  }
  return nonzero;
}

unsigned drive(unsigned seed) {
  short in[192];
  short out[192];
  for (long i = 0; i < 192; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (short)(seed >> 16) % 60;
  }
  unsigned sum = quantise(out, in, 192, 16);
  for (long i = 0; i < 192; i++) sum = sum * 31 + out[i];
  return sum;
}
