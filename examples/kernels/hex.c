// Decodes hexadecimal digits of either case, two to a byte; counts what is none.
int hex(unsigned char* out, unsigned char* text, long n) {
  int wrong = 0;
  int high = 0;
  for (long i = 0; i < n; i++) {
    int c = text[i];
    int digit;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      digit = 0;
      wrong++;
    }
    out[i / 2] = high * 16 + digit;
    high = digit;
  }
  return wrong;
}

unsigned drive(unsigned seed) {
  unsigned char text[200];
  unsigned char out[100];
  for (long i = 0; i < 200; i++) {
    seed = seed * 1103515245 + 12345;
    int digit = (seed >> 16) & 15;
    if (digit < 10)
      text[i] = '0' + digit;
    else if (seed >> 30 & 1)
      text[i] = 'a' + digit - 10;
    else
      text[i] = 'A' + digit - 9;
  }
  unsigned sum = hex(out, text, 200);
  for (long i = 0; i < 100; i++) sum = sum * 31 + out[i];
  return sum;
}
