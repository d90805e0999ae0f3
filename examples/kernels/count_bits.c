// Counts the bits of words, and the words with an odd number of them, by a test for each bit.
int count_bits(unsigned* words, long n) {
  int bits = 0;
  int odd = 0;
  for (long i = 0; i < n; i++) {
    unsigned word = words[i];
    int count = 0;
    while (word != 0) {
      if (word & 1) count++;
      word >>= 1;
    }
    bits += count;
    if (count & 1) odd++;
  }
  return bits * 1000 + odd;
}

unsigned drive(unsigned seed) {
  unsigned words[40];
  for (long i = 0; i < 40; i++) {
    seed = seed * 1103515245 + 12345;
    words[i] = seed ^ (seed >> 7);
  }
  return count_bits(words, 40);
}
