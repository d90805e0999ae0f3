// A state machine: counts the numbers in a text, with a sign, a fraction or both.
// The states: 0 between words, 1 after a sign, 2 in a number, 3 in its fraction, 4 in another word.
int scanner(unsigned char* text, long n) {
  int state = 0;
  int numbers = 0;
  for (long i = 0; i < n; i++) {
    int c = text[i];
    if (c == ' ') {
      if (state == 2 || state == 3) numbers++;
      state = 0;
    } else if (c >= '0' && c <= '9') {
      if (state < 2) state = 2;
    } else if (c == '-' && state == 0) {
      state = 1;
    } else if (c == '.' && state == 2) {
      state = 3;
    } else {
      state = 4;
    }
  }
  return numbers;
}

static const unsigned char alphabet[16] = {'0', '1', '2', '7', '9', '3', ' ', ' ',
                                           '5', '-', '.', 'x', ' ', '4', '8', ' '};

unsigned drive(unsigned seed) {
  unsigned char text[300];
  unsigned sum = 0;
  for (long i = 0; i < 300; i++) {
    seed = seed * 1103515245 + 12345;
    text[i] = alphabet[(seed >> 16) & 15];
    sum = sum * 31 + text[i];
  }
  return sum * 31 + scanner(text, 300);
}
