// Adds two arrays of 16-bit samples with saturation, as C spells it.
int saturated_add(short* out, short* a, short* b, long n) {
  int overflows = 0;
  for (long i = 0; i < n; i++) {
    int sum = a[i] + b[i];
    short low = sum;
    if (low != sum) {
      overflows++;
      low = sum < 0 ? -32768 : 32767;
    }
    out[i] = low;
  }
  return overflows;
}

unsigned drive(unsigned seed) {
  short a[150];
  short b[150];
  short out[150];
  for (long i = 0; i < 150; i++) {
    seed = seed * 1103515245 + 12345;
    a[i] = seed >> 16;
    b[i] = seed >> 12;
  }
  unsigned sum = saturated_add(out, a, b, 150);
  for (long i = 0; i < 150; i++) sum = sum * 31 + out[i];
  return sum;
}
