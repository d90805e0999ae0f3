// The step of quicksort: brings what is less than the pivot before the rest.
int partition(int* data, long n) {
  int pivot = data[n - 1];
  long less = 0;
  for (long i = 0; i < n; i++) {
    int x = data[i];
    if (x < pivot) {
      data[i] = data[less];
      data[less] = x;
      less++;
    }
  }
  data[n - 1] = data[less];
  data[less] = pivot;
  return less;
}

unsigned drive(unsigned seed) {
  int data[180];
  for (long i = 0; i < 180; i++) {
    seed = seed * 1103515245 + 12345;
    data[i] = (seed >> 16) & 1023;
  }
  unsigned sum = 0;
  for (long n = 180; n > 0; n -= 60) sum = sum * 31 + partition(data, n);
  for (long i = 0; i < 180; i++) sum = sum * 31 + data[i];
  return sum;
}
