// Bit-fields: signed and unsigned, packed across bytes, of zero width, wide, in unions and arrays, changed in place.
#include <stdio.h>
#include <string.h>

struct flags { unsigned a : 1, b : 2, c : 5; signed d : 7; unsigned e : 13, f : 4; };
struct split { unsigned x : 12; unsigned : 0; unsigned y : 12; unsigned char z; };
struct wide { unsigned long long a : 33, b : 20; long long c : 50; };
struct __attribute__((packed)) tight { unsigned a : 9; int b : 17; unsigned char c; unsigned d : 30; };
union view { struct { unsigned low : 4, mid : 8, high : 20; } parts; unsigned whole; };
struct truth { _Bool t : 1; signed s : 1; };

static struct tight turn(struct tight t) {
  t.a += t.c, t.b = -t.b, t.d <<= 1;
  return t;
}

int main(void) {
  struct flags f;
  memset(&f, 0, sizeof f);
  for (int i = 0; i < 200; i++) {
    f.a += 1u, f.b += f.a, f.c ^= (unsigned)i & 31, f.d = (f.d * 3 + i) % 64, f.e -= f.c, f.f = f.e >> 9;
  }
  printf("%u %u %u %d %u %u\n", f.a, f.b, f.c, f.d, f.e, f.f);
  struct split s = {0xabc, 0x123, 7};
  s.x++, s.y *= 3, s.z = (unsigned char)(s.x ^ s.y);
  printf("%x %x %x %zu\n", s.x, s.y, s.z, sizeof s);
  struct wide w = {0x1ffffffffULL, 0xfffff, -1};
  w.a -= 5, w.b >>= 3, w.c = w.c * 1000003 - 17;
  printf("%llx %x %lld\n", (unsigned long long)w.a, (unsigned)w.b, (long long)w.c);
  struct tight table[3];
  for (int i = 0; i < 3; i++) {
    table[i] = turn((struct tight){(unsigned)i * 200, i * 30000 - 40000, (unsigned char)(i + 250), 0x2bcdef01});
  }
  for (int i = 0; i < 3; i++) printf("%u %d %u %x\n", table[i].a, table[i].b, table[i].c, table[i].d);
  union view v = {.whole = 0x89abcdef};
  v.parts.mid++, v.parts.low = v.parts.high;
  struct truth t = {1, -1};
  t.t = 4, t.s ^= 1;
  printf("%x %d %d %zu\n", v.whole, t.t, t.s, sizeof table);
  return 0;
}
