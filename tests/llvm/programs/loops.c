// Nested loops, breaks out of several, a loop with two entries, a sieve.
#include <stdio.h>

static int two_entries(int n, int start) {
  int steps = 0;
  if (start) goto middle;
top:
  n = n * 3 + 1;
  steps++;
middle:
  while (n % 2 == 0) n /= 2, steps++;
  if (n > 1 && steps < 200) goto top;
  return steps;
}

static int search(int limit) {
  for (int a = 1; a < limit; a++)
    for (int b = a; b < limit; b++)
      for (int c = b; c < limit; c++) {
        if (a * a + b * b < c * c) break;
        if (a * a + b * b == c * c && a + b + c == 60) return a * 10000 + b * 100 + c;
      }
  return 0;
}

int main(void) {
  char composite[200] = {0};
  int primes = 0, last = 0;
  for (int i = 2; i < 200; i++) {
    if (composite[i]) continue;
    primes++, last = i;
    for (int k = i * i; k < 200; k += i) composite[k] = 1;
  }
  printf("%d %d %d %d %d\n", primes, last, search(40), two_entries(27, 0), two_entries(28, 1));
  unsigned x = 1, y = 2;
  do { unsigned t = x; x = y; y = t ^ (y << 1); } while (y < 100000 && x != y);
  printf("%u %u\n", x, y);
  return 0;
}
