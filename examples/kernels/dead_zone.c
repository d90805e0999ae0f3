// Dead-zone quantiser: what is near zero becomes zero, what is large saturates.
int dead_zone(int* levels, int* in, long n, int zone, int shift, int limit) {
  int dead = 0;
  for (long i = 0; i < n; i++) {
    int magnitude = in[i];
    int negative = 0;
    if (magnitude < 0) {
      negative = 1;
      magnitude = -magnitude;
    }
    int level = 0;
    if (magnitude > zone) {
      level = (magnitude - zone) >> shift;
      if (level > limit) level = limit;
      if (negative) level = -level;
    } else {
      dead++;
    }
    levels[i] = level;
  }
  return dead;
}

unsigned drive(unsigned seed) {
  int in[160];
  int levels[160];
  for (long i = 0; i < 160; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (short)(seed >> 16) % 400;
  }
  unsigned sum = dead_zone(levels, in, 160, 90, 4, 15);
  for (long i = 0; i < 160; i++) sum = sum * 31 + levels[i];
  return sum;
}
