// Integers of all widths, signed and unsigned, and floating point.
#include <stdint.h>
#include <stdio.h>

static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

int main(void) {
  int8_t a = -100;
  uint8_t b = 200;
  int16_t c = -30000;
  uint16_t d = 60000;
  int64_t e = -5000000000;
  uint64_t f = 0x123456789abcdef0u;
  a += 100 + (int8_t)b, b = (uint8_t)(b * 3), c = (int16_t)(c - 10000), d >>= 3;
  printf("%d %d %d %d\n", a, b, c, d);
  printf("%lld %llu %lld\n", (long long)(e / 7 + e % 7), (unsigned long long)(f >> 12 ^ f * 5), (long long)(e >> 9));
  printf("%u %d %d\n", rotate(0xdeadbeef, 7), (int)(f % 1000), (int)((int64_t)f / -1000000007));
  double x = 0, y = 1;
  for (int i = 1; i < 40; i++) x += y / i, y *= -0.75;
  float g = (float)x * 3.0f;
  printf("%.10f %.6f %d %u %.3f\n", x, g, (int)(x * 1000), (unsigned)(g + 7), (double)e / (double)f);
  printf("%d %d %d\n", x < g, x == x, !(x > 0.0));
  return 0;
}
