// Decodes characters of base64 by their classes, four to three bytes; skips what is none of them.
int base64(unsigned char* out, unsigned char* text, long n) {
  long length = 0;
  int bits = 0;
  int have = 0;
  for (long i = 0; i < n; i++) {
    int c = text[i];
    int value;
    if (c >= 'A' && c <= 'Z')
      value = c - 'A';
    else if (c >= 'a' && c <= 'z')
      value = c - 'a' + 26;
    else if (c >= '0' && c <= '9')
      value = c - '0' + 52;
    else if (c == '+')
      value = 62;
    else if (c == '/')
      value = 63;
    else
      continue;
    bits = (bits << 6 | value) & 0xffffff;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out[length++] = bits >> have;
    }
  }
  return length;
}

unsigned drive(unsigned seed) {
  unsigned char text[240];
  unsigned char out[240];
  for (long i = 0; i < 240; i++) {
    seed = seed * 1103515245 + 12345;
    text[i] = 40 + ((seed >> 16) & 127) * 85 / 128;
  }
  long length = base64(out, text, 240);
  unsigned sum = length;
  for (long i = 0; i < length; i++) sum = sum * 31 + out[i];
  return sum;
}
