// The step of heapsort: takes the greatest from a heap, so many times, and brings another to its place.
int heap(int* data, long n, long times) {
  int moves = 0;
  for (long t = 0; t < times; t++) {
    n--;
    int x = data[n];
    data[n] = data[0];
    long i = 0;
    for (;;) {
      long child = 2 * i + 1;
      if (child >= n) break;
      if (child + 1 < n && data[child + 1] > data[child]) child++;
      if (data[child] <= x) break;
      data[i] = data[child];
      i = child;
      moves++;
    }
    data[i] = x;
  }
  return moves;
}

unsigned drive(unsigned seed) {
  int data[127];
  for (long i = 0; i < 127; i++) {
    seed = seed * 1103515245 + 12345;
    int x = (seed >> 16) & 1023;
    long at = i;
    while (at > 0 && data[(at - 1) / 2] < x) {
      data[at] = data[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    data[at] = x;
  }
  unsigned sum = heap(data, 127, 60);
  for (long i = 0; i < 127; i++) sum = sum * 31 + data[i];
  return sum;
}
