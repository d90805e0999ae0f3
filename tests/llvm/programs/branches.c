// Short-circuit conditions, nested ternaries, switches that fall through, early returns.
#include <stdio.h>

static int classify(int x, int y) {
  if (x < 0 && y < 0) return -1;
  if (x > 10 || (y > 10 && x != y)) return x > y ? 1 : y > 2 * x ? 2 : 3;
  return !x ? 4 : 5;
}

static int fall(unsigned n) {
  int r = 0;
  switch (n % 7) {
    case 0: r += 1;
    case 1: r += 2; break;
    case 3: r += 4;
    case 4:
    case 5: r ^= 8;
    default: r += 16;
  }
  return r;
}

int main(void) {
  unsigned sum = 0;
  for (int x = -3; x < 14; x += 2)
    for (int y = -2; y < 15; y += 3) sum = sum * 3 + (unsigned)classify(x, y);
  for (unsigned n = 0; n < 20; n++) sum += (unsigned)fall(n) << (n % 5);
  printf("%u\n", sum);
  return (int)(sum & 63);
}
