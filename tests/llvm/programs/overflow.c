// Arithmetic at the limits: the overflow builtins at all widths, wrapping, division, shifts, sign changes.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#define EACH(TYPE, NAME)                                                        \
  static void NAME(TYPE a, TYPE b) {                                            \
    TYPE sum, difference, product;                                              \
    int s = __builtin_add_overflow(a, b, &sum);                                 \
    int d = __builtin_sub_overflow(a, b, &difference);                          \
    int p = __builtin_mul_overflow(a, b, &product);                             \
    printf("%lld%s %lld%s %lld%s\n", (long long)sum, s ? "!" : "", (long long)difference, d ? "!" : "", \
           (long long)product, p ? "!" : "");                                   \
  }

EACH(int8_t, signed8)
EACH(uint8_t, unsigned8)
EACH(int16_t, signed16)
EACH(int32_t, signed32)
EACH(uint32_t, unsigned32)
EACH(int64_t, signed64)
EACH(uint64_t, unsigned64)

static int narrow(long long a, int b) {
  short result;
  int overflows = __builtin_mul_overflow(a, b, &result);
  return result * 2 + overflows;
}

int main(void) {
  signed8(100, 28), signed8(-128, -1), signed8(7, -9);
  unsigned8(200, 100), unsigned8(3, 5), unsigned8(16, 15);
  signed16(-32768, 1), signed16(181, 181), signed16(-200, 200);
  signed32(INT_MAX, 1), signed32(INT_MIN, INT_MIN), signed32(46341, 46341), signed32(-3, 5);
  unsigned32(UINT_MAX, 1), unsigned32(65536, 65535), unsigned32(1, 2);
  signed64(LLONG_MAX, LLONG_MAX), signed64(LLONG_MIN, -1), signed64(3037000500LL, 3037000500LL), signed64(-5, 9);
  unsigned64(UINT64_MAX, 2), unsigned64(1ull << 32, (1ull << 32) - 1), unsigned64(4, 7);
  printf("%d %d\n", narrow(100000, 2), narrow(-3, 11));
  unsigned u = 3;
  u -= 5;
  int64_t least = INT64_MIN;
  printf("%u %d %u\n", u, -7 / 2 * 10 + -7 % 2, u >> 31 << 4);
  printf("%lld %lld\n", (long long)(least / 3), (long long)(least >> 60));
  return 0;
}
