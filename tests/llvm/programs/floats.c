// Floating point at its edges: NaN, infinities, signed zeros, denormals, rounding, conversions.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t bits(double x) {
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

static void compare(double a, double b) {
  printf("%d%d%d%d%d%d %d\n", a < b, a <= b, a > b, a >= b, a == b, a != b, isunordered(a, b));
}

static volatile double zero = 0.0, one = 1.0, three = 3.0;
static volatile float tiny = 1e-40f;

int main(void) {
  double infinity = one / zero, nan = zero / zero;
  printf("%f %f %d\n", infinity, -infinity, nan != nan);
  compare(one, three);
  compare(zero, -zero);
  compare(nan, one);
  compare(infinity, infinity);
  printf("%llx %llx %llx\n", (unsigned long long)bits(-zero), (unsigned long long)bits(one / -infinity),
         (unsigned long long)bits(one / three));
  printf("%.17g %.9g %d\n", one / three, (double)((float)one / (float)three), one / three == (float)(one / three));
  printf("%g %g %d\n", (double)tiny, (double)(tiny / 2), tiny * tiny == 0);
  double edges[] = {0.5, 1.5, 2.5, -0.5, -1.5, 1e15 + 0.5, -2.4999999999999996, 0.49999999999999994};
  for (int i = 0; i < 8; i++) {
    printf("%g %g %g %g %g\n", floor(edges[i]), ceil(edges[i]), trunc(edges[i]), rint(edges[i]), round(edges[i]));
  }
  printf("%d %d %u %lld %llu\n", (int)-2.9, (int)2147483520.0f, (unsigned)4294967040.0f, (long long)-9.2e18,
         (unsigned long long)1.8e19);
  long long big = 9007199254740993LL;
  printf("%.1f %.1f %.1f\n", (double)big, (double)(float)big, (double)(uint64_t)-1);
  printf("%g %g %g\n", fmin(nan, 3), fmax(-infinity, 2), fabs(-zero));
  printf("%g %g\n", copysign(3, -zero), copysign(nan, one) > 0 ? 1.0 : 2.0);
  printf("%d %d\n", FLT_MAX * 2 == infinity, DBL_MIN / 2 > 0);
  double sum = 0;
  for (int i = 0; i < 10; i++) sum += 0.1;
  printf("%.17g %d\n", sum, sum == 1.0);
  return 0;
}
