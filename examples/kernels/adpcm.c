// Adaptive differential decoding of sound: four bits give a sign and a size in units of a step that adapts.
static const int factor[8] = {57, 57, 57, 57, 77, 102, 128, 153};

int adpcm(int* out, int* codes, long n) {
  int sample = 0;
  int step = 127;
  for (long i = 0; i < n; i++) {
    int code = codes[i];
    long size = code & 7;
    int change = (2 * size + 1) * step >> 3;
    if (code & 8)
      sample -= change;
    else
      sample += change;
    if (sample > 32767)
      sample = 32767;
    else if (sample < -32768)
      sample = -32768;
    step = step * factor[size] >> 6;
    if (step < 127)
      step = 127;
    else if (step > 24576)
      step = 24576;
    out[i] = sample;
  }
  return step;
}

unsigned drive(unsigned seed) {
  int codes[256];
  int out[256];
  for (long i = 0; i < 256; i++) {
    seed = seed * 1103515245 + 12345;
    codes[i] = (seed >> 16) & 15;
  }
  unsigned sum = adpcm(out, codes, 256);
  for (long i = 0; i < 256; i++) sum = sum * 31 + out[i];
  return sum;
}
