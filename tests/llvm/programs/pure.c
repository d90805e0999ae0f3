// Functions that only read memory, and return what does not fit a register.
#include <stdio.h>

struct span {
  long first;
  long last;
};

__attribute__((pure, noinline)) static struct span whole(const long *at) {
  struct span result = {at[0], at[1]};
  return result;
}

__attribute__((const, noinline)) static struct span moved(long first, long by) {
  struct span result = {first + by, first - by};
  return result;
}

int main(void) {
  long numbers[] = {3, 5, 7, 9};
  struct span spans[2];
  spans[0] = whole(numbers);
  spans[1] = whole(numbers + 2);
  struct span other = moved(spans[1].first, spans[0].last);
  printf("%ld %ld %ld %ld %ld %ld\n", spans[0].first, spans[0].last, spans[1].first, spans[1].last, other.first, other.last);
  return 0;
}
