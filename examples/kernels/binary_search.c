// Looks a number up in a sorted array: its place, or where it would be.
int binary_search(int* sorted, long n, int wanted) {
  long low = 0;
  long high = n;
  while (low < high) {
    long middle = (low + high) / 2;
    int x = sorted[middle];
    if (x == wanted) return middle;
    if (x < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return -low - 1;
}

unsigned drive(unsigned seed) {
  int sorted[128];
  int x = 0;
  for (long i = 0; i < 128; i++) {
    seed = seed * 1103515245 + 12345;
    x += (seed >> 16) & 15;
    sorted[i] = x;
  }
  unsigned sum = 0;
  for (long i = 0; i < 100; i++) {
    seed = seed * 1103515245 + 12345;
    int wanted = (seed >> 16) & 1023;
    sum = sum * 31 + binary_search(sorted, 128, wanted);
  }
  return sum;
}
