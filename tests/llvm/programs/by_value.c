// Structures of 1 to 40 bytes by value, with and without padding and floats, changed by the callee, returned.
#include <stdio.h>

#define STRUCTURE(N)                                                 \
  struct s##N { unsigned char b[N]; };                               \
  static struct s##N make##N(int seed) {                             \
    struct s##N s;                                                   \
    for (int i = 0; i < N; i++) s.b[i] = (unsigned char)(seed += i); \
    return s;                                                        \
  }                                                                  \
  static unsigned sum##N(struct s##N s, unsigned extra) {            \
    unsigned total = extra;                                          \
    for (int i = 0; i < N; i++) total = total * 5 + s.b[i], s.b[i] = 0; \
    return total;                                                    \
  }                                                                  \
  static unsigned test##N(void) {                                    \
    struct s##N s = make##N(N);                                      \
    unsigned first = sum##N(s, 1);                                        \
    return first * 3 + sum##N(s, 2);                                 \
  }

STRUCTURE(1) STRUCTURE(2) STRUCTURE(3) STRUCTURE(4) STRUCTURE(5) STRUCTURE(6) STRUCTURE(7) STRUCTURE(8)
STRUCTURE(9) STRUCTURE(12) STRUCTURE(15) STRUCTURE(16) STRUCTURE(17) STRUCTURE(24) STRUCTURE(40)

struct padded { char c; int i; };
struct gap { short s; double d; char c; };
struct mixed { float f; int i; double d; };
struct nested { struct padded p[2]; char last; };

static struct padded twist(struct padded p, char c) { return (struct padded){c, p.i * 2 + p.c}; }
static struct gap stretch(struct gap g) { return g.s++, g.d /= 4, g.c ^= 1, g; }
static struct mixed mix(struct mixed m, struct nested n) {
  return (struct mixed){m.f + n.p[1].c, m.i - n.p[0].i, m.d * n.last};
}

int main(void) {
  printf("%u %u %u %u %u %u %u %u\n", test1(), test2(), test3(), test4(), test5(), test6(), test7(), test8());
  printf("%u %u %u %u %u %u %u\n", test9(), test12(), test15(), test16(), test17(), test24(), test40());
  struct padded p = {'a', 1000};
  for (int i = 0; i < 3; i++) p = twist(p, (char)('b' + i));
  struct gap g = stretch(stretch((struct gap){-7, 10, 'x'}));
  struct nested n = {{{'q', 5}, {'r', 6}}, 'z'};
  struct mixed m = mix(mix((struct mixed){0.5f, 9, 0.25}, n), n);
  printf("%c %d %d %g %c\n", p.c, p.i, g.s, g.d, g.c);
  printf("%g %d %g\n", m.f, m.i, m.d);
  return 0;
}
