// Dijkstra's flag: brings what is less than the pivot first and what is greater last.
long flag(int* data, long n, int pivot) {
  long low = 0;
  long middle = 0;
  long high = n;
  while (middle < high) {
    int x = data[middle];
    if (x < pivot) {
      data[middle] = data[low];
      data[low] = x;
      low++;
      middle++;
    } else if (x > pivot) {
      high--;
      data[middle] = data[high];
      data[high] = x;
    } else {
      middle++;
    }
  }
  return low * 65536 + high;
}

unsigned drive(unsigned seed) {
  int data[200];
  for (long i = 0; i < 200; i++) {
    seed = seed * 1103515245 + 12345;
    data[i] = (seed >> 16) & 7;
  }
  unsigned sum = flag(data, 200, 3);
  for (long i = 0; i < 200; i++) sum = sum * 31 + data[i];
  return sum;
}
