// The least and the greatest element of an array, and where they are.
int min_max(int* data, long n) {
  int least = data[0];
  int greatest = data[0];
  int first = 0;
  int last = 0;
  for (long i = 1; i < n; i++) {
    int x = data[i];
    if (x < least) {
      least = x;
      first = i;
    } else if (x >= greatest) {
      greatest = x;
      last = i;
    }
  }
  return (greatest - least) * 10000 + first * 100 + last;
}

unsigned drive(unsigned seed) {
  int data[100];
  unsigned sum = 0;
  for (int round = 0; round < 4; round++) {
    for (long i = 0; i < 100; i++) {
      seed = seed * 1103515245 + 12345;
      data[i] = ((seed >> 16) & 511) + i;
    }
    sum = sum * 31 + min_max(data, 100);
  }
  return sum;
}
