// Inline assembly: operands in registers and memory, read and written, clobbers, flags, a barrier.
// Compiled only: the interpreter has no machine instructions.
#include <stdio.h>

static long add(long a, long b) {
  __asm__("addq %1, %0" : "+r"(a) : "r"(b) : "cc");
  return a;
}
static unsigned swap(unsigned x) {
  __asm__("bswapl %0" : "+r"(x));
  return x;
}
static void store(int* p, int value) { __asm__ volatile("movl %1, %0" : "=m"(*p) : "ri"(value)); }
static unsigned long divide(unsigned long a, unsigned long b, unsigned long* rest) {
  unsigned long quotient;
  __asm__("divq %4" : "=a"(quotient), "=d"(*rest) : "0"(a), "1"(0ul), "r"(b) : "cc");
  return quotient;
}
static int carries(unsigned a, unsigned b) {
  int carry;
  __asm__("addl %2, %1" : "=@ccc"(carry), "+r"(a) : "r"(b));
  return carry;
}

int main(void) {
  int cell = 0, total = 0;
  for (int i = 0; i < 5; i++) {
    store(&cell, i * 7);
    __asm__ volatile("" ::: "memory");
    total += cell;
  }
  unsigned long rest = 0, quotient = divide(1000003, 97, &rest);
  printf("%ld %x %d %lu %lu\n", add(40, 2), swap(0x11223344), total, quotient, rest);
  printf("%d %d\n", carries(0xffffffff, 1), carries(1, 2));
  return 0;
}
