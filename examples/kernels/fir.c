// A filter with finite response whose output saturates at 16 bits.
static const short taps[8] = {-300, 1200, 5200, 9800, 9800, 5200, 1200, -300};

int fir(short* out, short* in, long n) {
  int saturated = 0;
  for (long i = 0; i + 8 <= n; i++) {
    int sum = 0;
    for (long k = 0; k < 8; k++) sum += in[i + k] * taps[k];
    sum >>= 13;
    if (sum > 32767) {
      sum = 32767;
      saturated++;
    } else if (sum < -32768) {
      sum = -32768;
      saturated++;
    }
    out[i] = sum;
  }
  return saturated;
}

unsigned drive(unsigned seed) {
  short in[128];
  short out[128];
  int level = 0;
  for (long i = 0; i < 128; i++) {
    seed = seed * 1103515245 + 12345;
    level = (level * 7 + (short)(seed >> 16)) / 8;
    in[i] = level * 3;
  }
  unsigned sum = fir(out, in, 128);
  for (long i = 0; i < 121; i++) sum = sum * 31 + out[i];
  return sum;
}
