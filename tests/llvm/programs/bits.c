// Bit operations: counts, reversals, rotations, masks, a checksum.
#include <stdint.h>
#include <stdio.h>

static uint32_t rotate_left(uint32_t x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }
static uint64_t rotate_right(uint64_t x, unsigned n) { return x >> (n & 63) | x << (-n & 63); }
static uint8_t rotate8(uint8_t x, unsigned n) { return __builtin_rotateleft8(x, (uint8_t)n); }

static uint32_t crc(const unsigned char* text, uint32_t state) {
  for (; *text; text++) {
    state ^= *text;
    for (int k = 0; k < 8; k++) state = state >> 1 ^ (0xedb88320u & -(state & 1));
  }
  return ~state;
}

static unsigned spread(unsigned x) {
  x = (x | x << 8) & 0x00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f;
  x = (x | x << 2) & 0x33333333;
  return (x | x << 1) & 0x55555555;
}

int main(void) {
  const uint64_t samples[] = {1, 0x80, 0xf0f0, 0x12345678, 0xffffffff, 0x8000000000000000, 0x0123456789abcdef};
  for (int i = 0; i < 7; i++) {
    uint64_t x = samples[i];
    uint32_t y = (uint32_t)(x >> 32 ^ x);
    printf("%d %d %d %d ", __builtin_clzll(x), __builtin_ctzll(x), __builtin_popcountll(x), __builtin_parityll(x));
    printf("%d %d %d %d ", __builtin_clz(y), __builtin_ctz(y), __builtin_popcount(y), __builtin_ffs((int)y));
    printf("%llx %x ", (unsigned long long)__builtin_bswap64(x), __builtin_bswap32(y));
    printf("%x ", __builtin_bswap16((uint16_t)y));
    printf("%llx %x\n", (unsigned long long)__builtin_bitreverse64(x), __builtin_bitreverse8((uint8_t)y));
  }
  for (unsigned n = 0; n < 70; n += 9) {
    printf("%x %x ", rotate_left(0xdeadbeef, n), rotate8(0x96, n));
    printf("%llx ", (unsigned long long)rotate_right(samples[6], n));
  }
  printf("\n%08x %x %d\n", crc((const unsigned char*)"123456789", 0xffffffff), spread(0xbeef), __builtin_clrsb(-300));
  return 0;
}
