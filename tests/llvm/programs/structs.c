// Structures in memory, by value, returned in registers and through memory; bit-fields; unions; pointers to functions.
#include <stdio.h>

struct pair { long a, b; };
struct small { short x; char c, d; };
struct big { int v[9]; };
struct bits { unsigned a : 3; int b : 5; unsigned c : 17; };
union word { unsigned u; unsigned char bytes[4]; float f; };

static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }
static struct small shrink(struct pair p) { return (struct small){(short)p.a, (char)p.b, 1}; }
static struct big fill(int n) {
  struct big r;
  for (int i = 0; i < 9; i++) r.v[i] = n * i;
  return r;
}
static int add(int x, int y) { return x + y; }
static int mul(int x, int y) { return x * y; }

int main(void) {
  struct pair p = swap(swap(swap((struct pair){3, -4})));
  struct small s = shrink(p);
  struct big b = fill(7);
  struct bits f = {5, -9, 70000};
  f.a += 4, f.b -= 3, f.c ^= 1;
  union word w;
  w.f = 1.5f;
  int (*ops[2])(int, int) = {add, mul};
  int r = 0;
  for (int i = 0; i < 8; i++) r = ops[i & 1](r + 1, b.v[i]);
  printf("%ld %ld %d %d %d %u %d %u %u %d\n", p.a, p.b, s.x, s.c, b.v[8], f.a, f.b, f.c, w.u + w.bytes[3], r);
  return 0;
}
