// Decodes bits by an adaptive range coder, eight to a byte, each with a probability of its context.
long range_decoder(unsigned char* out, unsigned short* odds, unsigned char* in, long n) {
  unsigned range = 0xffffffff;
  unsigned code = 0;
  long at = 0;
  while (at < 4) {
    code = code << 8 | in[at];
    at++;
  }
  unsigned context = 1;
  for (long i = 0; i < n; i++) {
    unsigned p = odds[context];
    unsigned bound = (range >> 11) * p;
    if (code < bound) {
      range = bound;
      odds[context] = p + ((2048 - p) >> 5);
      context = context << 1;
    } else {
      range -= bound;
      code -= bound;
      odds[context] = p - (p >> 5);
      context = context << 1 | 1;
    }
    if (range < 1 << 24) {
      range <<= 8;
      code = code << 8 | in[at];
      at++;
    }
    if (context >= 256) {
      out[i >> 3] = context;
      context = 1;
    }
  }
  return at;
}

unsigned drive(unsigned seed) {
  unsigned char in[128];
  unsigned char out[32];
  unsigned short odds[256];
  for (long i = 0; i < 128; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = seed >> 16;
  }
  for (long i = 0; i < 256; i++) odds[i] = 1024;
  unsigned sum = range_decoder(out, odds, in, 256);
  for (long i = 0; i < 32; i++) sum = sum * 31 + out[i];
  return sum;
}
