// Counts the characters of a text in UTF-8, and what does not belong to one.
int utf8(unsigned char* text, long n) {
  int characters = 0;
  int errors = 0;
  int missing = 0;
  for (long i = 0; i < n; i++) {
    int c = text[i];
    if ((c & 0xc0) == 0x80) {
      if (missing == 0) {
        errors++;
      } else {
        missing--;
        if (missing == 0) characters++;
      }
      continue;
    }
    if (missing > 0) errors++;
    missing = 0;
    if (c < 0x80)
      characters++;
    else if (c < 0xe0)
      missing = 1;
    else if (c < 0xf0)
      missing = 2;
    else if (c < 0xf8)
      missing = 3;
    else
      errors++;
  }
  return characters * 1000 + errors;
}

unsigned drive(unsigned seed) {
  unsigned char text[300];
  for (long i = 0; i < 300; i++) {
    seed = seed * 1103515245 + 12345;
    text[i] = seed >> 16;
    if ((seed >> 28 & 1) == 0) text[i] = 0x80 | (text[i] & 0x3f);
  }
  return utf8(text, 300);
}
