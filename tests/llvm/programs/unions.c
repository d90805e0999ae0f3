// Unions: bytes of numbers, tagged values, overlapping structures, by value.
#include <stdint.h>
#include <stdio.h>

union number { double d; uint64_t u; int32_t i[2]; uint8_t bytes[8]; };

enum tag { INTEGER, REAL, PAIR };
struct value {
  enum tag tag;
  union { long integer; double real; struct { short first, second; }; };
};
union small { char c; struct { char a, b, c; } three; };
union overlap { struct { int head; char rest[4]; } a; struct { short parts[4]; } b; };

static struct value next(struct value v) {
  switch (v.tag) {
    case INTEGER: return (struct value){.tag = REAL, .real = (double)v.integer / 8};
    case REAL: return (struct value){.tag = PAIR, .first = (short)v.real, .second = (short)(v.real / 3)};
    default: return (struct value){.tag = INTEGER, .integer = v.first * 1000L + v.second};
  }
}
static union small shift(union small s) { return (union small){.three = {s.three.c, s.three.a, s.three.b}}; }

int main(void) {
  union number n = {.d = -1234.5};
  for (int i = 0; i < 8; i++) printf("%02x", n.bytes[i]);
  n.bytes[7] ^= 0x80, n.bytes[6]++;
  printf(" %g %d %llx\n", n.d, n.i[0], (unsigned long long)n.u);
  struct value v = {.tag = INTEGER, .integer = 333};
  for (int i = 0; i < 7; i++) {
    v = next(v);
    if (v.tag == INTEGER) printf("%ld ", v.integer);
    if (v.tag == REAL) printf("%g ", v.real);
    if (v.tag == PAIR) printf("(%d %d) ", v.first, v.second);
  }
  union small s = {.three = {1, 2, 3}};
  for (int i = 0; i < 4; i++) s = shift(s);
  union overlap o = {.a = {0x01020304, {5, 6, 7, 8}}};
  o.b.parts[1] += o.b.parts[2];
  printf("%d %d %d %x %d\n", s.three.a, s.three.b, s.three.c, (unsigned)o.a.head, o.a.rest[3]);
  return 0;
}
