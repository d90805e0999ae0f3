// Decodes a Huffman code: walks a tree by the bits of a stream. A node has a child for each bit; one that is
// negative is a symbol.
static const int child[14] = {1, 2, -1, 3, -2, 4, 5, 6, -3, -4, -5, -6, -7, -8};

int huffman(unsigned char* out, unsigned* bits, long n) {
  long node = 0;
  long count = 0;
  for (long i = 0; i < n; i++) {
    unsigned word = bits[i / 32];
    if (word >> (i & 31) & 1)
      node = child[2 * node + 1];
    else
      node = child[2 * node];
    if (node < 0) {
      out[count] = -node;
      count++;
      node = 0;
    }
  }
  return count;
}

unsigned drive(unsigned seed) {
  unsigned bits[10];
  unsigned char out[320];
  for (long i = 0; i < 10; i++) {
    seed = seed * 1103515245 + 12345;
    bits[i] = seed ^ (seed << 13);
  }
  long count = huffman(out, bits, 320);
  unsigned sum = count;
  for (long i = 0; i < count; i++) sum = sum * 31 + out[i];
  return sum;
}
