// Compares two strings, without regard to the case of letters.
int compare_strings(unsigned char* a, unsigned char* b) {
  for (long i = 0;; i++) {
    int x = a[i];
    int y = b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x < y) return -1;
    if (x > y) return 1;
    if (x == 0) return 0;
  }
}

unsigned drive(unsigned seed) {
  unsigned char text[256];
  for (long i = 0; i < 256; i++) {
    seed = seed * 1103515245 + 12345;
    int letter = seed >> 16 & 32;
    text[i] = letter + 'A' + i % 5;
    if ((seed >> 22 & 63) == 0) text[i] = '_';
    if (i % 20 == 15) text[i] = 0;
  }
  unsigned sum = 0;
  for (long i = 0; i < 240; i += 20) {
    for (long j = 0; j < 240; j += 20) sum = sum * 3 + compare_strings(text + i, text + j);
  }
  return sum;
}
