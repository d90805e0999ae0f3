// Switches: dense, sparse, with ranges, on 8 and 64 bits, with negative cases, without a default, nested, into a loop.
#include <stdio.h>

static int dense(int x) {
  switch (x) {
    case 0: return 11;
    case 1: return 7;
    case 2: return 5;
    case 3: return 3;
    case 4: return 2;
    case 6: return 1;
    default: return -1;
  }
}

static int sparse(long long x) {
  switch (x) {
    case -4000000000LL: return 1;
    case -1: return 2;
    case 0: return 3;
    case 77: return 4;
    case 1LL << 40: return 5;
    case 0x7fffffffffffffffLL: return 6;
  }
  return 0;
}

static char kind(unsigned char c) {
  switch (c) {
    case 'a' ... 'z': return 'l';
    case 'A' ... 'Z': return 'u';
    case '0' ... '9': return 'd';
    case 128 ... 255: return 'h';
    default: return '-';
  }
}

static int nested(int a, int b) {
  int r = 0;
  switch (a) {
    case 1:
      switch (b) {
        case 1: r = 1; break;
        default: r = 2;
      }
    case 2: r += 10; break;
    case 3: switch (b) { case 5: r = 50; }
  }
  return r;
}

// Duff's device: the switch enters a loop.
static int copy(char* to, const char* from, int count) {
  int rounds = (count + 3) / 4;
  switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--rounds > 0);
  }
  return rounds;
}

int main(void) {
  for (int i = -1; i < 8; i++) printf("%d ", dense(i));
  const long long keys[] = {-4000000000LL, -1, 0, 1, 77, 1LL << 40, 0x7fffffffffffffffLL, -4000000001LL};
  for (int i = 0; i < 8; i++) printf("%d", sparse(keys[i]));
  printf("\n");
  for (int c = 30; c < 256; c += 7) printf("%c", kind((unsigned char)c));
  printf("\n");
  for (int a = 0; a < 4; a++)
    for (int b = 1; b < 6; b += 2) printf("%d ", nested(a, b));
  char text[16] = {0};
  int rounds = copy(text, "switch into it", 14);
  printf("%s %d\n", text, rounds);
  return 0;
}
