// Encodes samples of sound in eight bits by the mu-law: a sign, an exponent and four bits of the rest.
int mulaw(unsigned char* out, short* in, long n) {
  int clipped = 0;
  for (long i = 0; i < n; i++) {
    int x = in[i];
    int sign = 0;
    if (x < 0) {
      x = -x;
      sign = 128;
    }
    if (x > 32635) {
      x = 32635;
      clipped++;
    }
    x += 132;
    int exponent = 0;
    if (x >= 4096) {
      exponent = 4;
      x >>= 4;
    }
    if (x >= 1024) {
      exponent += 2;
      x >>= 2;
    }
    if (x >= 512) {
      exponent++;
      x >>= 1;
    }
    if (x >= 256) {
      exponent++;
      x >>= 1;
    }
    out[i] = ~(sign | exponent << 4 | (x >> 3 & 15));
  }
  return clipped;
}

unsigned drive(unsigned seed) {
  short in[150];
  unsigned char out[150];
  for (long i = 0; i < 150; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (short)(seed >> 16) >> (seed >> 12 & 7);
  }
  unsigned sum = mulaw(out, in, 150);
  for (long i = 0; i < 150; i++) sum = sum * 31 + out[i];
  return sum;
}
