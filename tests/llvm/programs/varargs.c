// Variadic functions: all kinds of arguments, lists that are copied and forwarded, more arguments than registers.
#include <stdarg.h>
#include <stdio.h>

struct point { int x, y; };
struct wide { double a, b; };

static double mixed(const char* kinds, ...) {
  va_list list;
  va_start(list, kinds);
  double total = 0;
  for (; *kinds; kinds++) {
    switch (*kinds) {
      case 'i': total = total * 3 + va_arg(list, int); break;
      case 'l': total += (double)va_arg(list, long long) / 2; break;
      case 'd': total -= va_arg(list, double); break;
      case 's': total += va_arg(list, const char*)[1]; break;
      case 'p': {
        struct point p = va_arg(list, struct point);
        total += p.x * 10 - p.y;
        break;
      }
      case 'w': {
        struct wide w = va_arg(list, struct wide);
        total += w.a * w.b;
        break;
      }
    }
  }
  va_end(list);
  return total;
}

static int sum_rest(int count, va_list list) {
  int total = 0;
  while (count-- > 0) total += va_arg(list, int);
  return total;
}

static int twice(int count, ...) {
  va_list first, second;
  va_start(first, count);
  int head = va_arg(first, int);
  va_copy(second, first);
  int total = head + sum_rest(count - 1, first) * 100 + sum_rest(count - 1, second);
  va_end(second);
  va_end(first);
  return total;
}

int main(void) {
  struct point p = {7, -2};
  struct wide w = {1.5, -4.0};
  printf("%.3f\n", mixed("idlsi", 5, 2.25, -9LL, "xyz", -3));
  printf("%.3f\n", mixed("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  printf("%.3f\n", mixed("dddddddddddd", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0));
  printf("%.3f\n", mixed("pwpi", p, w, p, 4));
  printf("%d %d\n", twice(3, 5, 6, 7), twice(1, 9));
  return 0;
}
