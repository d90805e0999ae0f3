// Counts the words of a text, and its lines.
int words(unsigned char* text, long n) {
  int lines = 0;
  int count = 0;
  int inside = 0;
  for (long i = 0; i < n; i++) {
    int c = text[i];
    if (c == '\n') lines++;
    if (c == ' ' || c == '\n' || c == '\t') {
      inside = 0;
    } else if (!inside) {
      inside = 1;
      count++;
    }
  }
  return count * 1000 + lines;
}

static const unsigned char letters[16] = {'a', 'b',  ' ', 'c', '\n', 'd', 'e',  ' ',
                                          'f', '\t', 'g', 'h', ' ',  'i', '\n', 'j'};

unsigned drive(unsigned seed) {
  unsigned char text[250];
  for (long i = 0; i < 250; i++) {
    seed = seed * 1103515245 + 12345;
    text[i] = letters[seed >> 16 & 15];
  }
  return words(text, 250);
}
