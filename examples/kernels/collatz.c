// How many steps Collatz's sequence takes to 1, with a limit, and the longest sequence met.
int collatz(int from, int to, int limit) {
  int longest = 0;
  int best = 0;
  for (int start = from; start < to; start++) {
    unsigned x = start;
    int steps = 0;
    while (x > 1 && steps < limit) {
      if (x & 1)
        x = 3 * x + 1;
      else
        x >>= 1;
      steps++;
    }
    if (steps > longest) {
      longest = steps;
      best = start;
    }
  }
  return best * 1000 + longest;
}

unsigned drive(unsigned seed) {
  seed = seed * 1103515245 + 12345;
  int from = (seed >> 16 & 1023) + 1;
  return collatz(from, from + 50, 200);
}
