// Clipping: brings the samples of an array between two limits, and counts those that were not.
int clip(int* data, long n, int low, int high) {
  int clipped = 0;
  for (long i = 0; i < n; i++) {
    int x = data[i];
    if (x < low) {
      data[i] = low;
      clipped++;
    } else if (x > high) {
      data[i] = high;
      clipped++;
    }
  }
  return clipped;
}

unsigned drive(unsigned seed) {
  int data[200];
  for (long i = 0; i < 200; i++) {
    seed = seed * 1103515245 + 12345;
    data[i] = (short)(seed >> 16) % 1000;
  }
  unsigned sum = clip(data, 200, -500, 250);
  for (long i = 0; i < 200; i++) sum = sum * 31 + data[i];
  return sum;
}
