// Decodes runs: a byte of 128 or more repeats the next one, a smaller one says how many follow as they are.
int run_length(unsigned char* out, long room, unsigned char* in, long n) {
  long length = 0;
  int repeat = 0;
  int literal = 0;
  for (long i = 0; i < n; i++) {
    int c = in[i];
    if (literal > 0) {
      if (length < room) out[length++] = c;
      literal--;
    } else if (repeat > 0) {
      while (repeat > 0) {
        if (length < room) out[length++] = c;
        repeat--;
      }
    } else if (c >= 128) {
      repeat = c - 126;
    } else {
      literal = c + 1;
    }
  }
  return length;
}

unsigned drive(unsigned seed) {
  unsigned char in[120];
  unsigned char out[300];
  for (long i = 0; i < 120; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (seed >> 16) & 131;
  }
  long length = run_length(out, 300, in, 120);
  unsigned sum = length;
  for (long i = 0; i < length; i++) sum = sum * 31 + out[i];
  return sum;
}
