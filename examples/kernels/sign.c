// The signs of samples; counts how often they change.
int sign(signed char* signs, int* data, long n) {
  int changes = 0;
  int before = 0;
  for (long i = 0; i < n; i++) {
    int x = data[i];
    int s;
    if (x > 0)
      s = 1;
    else if (x < 0)
      s = -1;
    else
      s = 0;
    if (s != 0) {
      if (before != 0 && s != before) changes++;
      before = s;
    }
    signs[i] = s;
  }
  return changes;
}

unsigned drive(unsigned seed) {
  int data[200];
  signed char signs[200];
  for (long i = 0; i < 200; i++) {
    seed = seed * 1103515245 + 12345;
    data[i] = (short)(seed >> 16) % 4;
  }
  unsigned sum = sign(signs, data, 200);
  for (long i = 0; i < 200; i++) sum = sum * 31 + signs[i];
  return sum;
}
