// _Bool and conditions: conversions to it, arithmetic with it, in memory, by value, short circuits with effects.
#include <stdbool.h>
#include <stdio.h>

static int calls;
static bool note(bool result) {
  calls = calls * 2 + 1;
  return result;
}
static bool from_double(double x) { return x; }
static bool from_pointer(const void* p) { return p; }
static bool majority(bool a, bool b, bool c) { return a + b + c >= 2; }
static int table[2][2] = {{1, 2}, {3, 4}};
struct set { bool member[5]; bool all : 1; };

static struct set invert(struct set s) {
  s.all = true;
  for (int i = 0; i < 5; i++) s.member[i] = !s.member[i], s.all &= s.member[i];
  return s;
}

int main(void) {
  bool a = 256, b = 0.25, c = !a, d = (bool)(unsigned char)256;
  printf("%d%d%d%d %d%d%d\n", a, b, c, d, from_double(-0.0), from_double(1e-300), from_pointer(table));
  bool e = note(false) && note(true), f = note(true) || note(false), g = (note(e) ? note(f) : note(true)) ^ a;
  printf("%d%d%d %d\n", e, f, g, calls);
  a += 5, b--, c = -c, d |= 4;
  printf("%d%d%d%d %d\n", a, b, c, d, majority(a, c, d) * 10 + majority(b, c, d));
  struct set s = invert(invert(invert((struct set){{true, false, [4] = 7}})));
  for (int i = 0; i < 5; i++) printf("%d", s.member[i]);
  int x = 7, y = -3;
  printf("%d %d %d %d\n", s.all, table[x > y][y > 0], !!x + !y + (x < 10 == y < 0), -(x != y) & 0xff);
  return 0;
}
