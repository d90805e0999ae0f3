// Atomic variables in one thread: loads, stores, exchanges, arithmetic, a lock, fences, orders.
// Compiled only: the interpreter has no atomic instructions.
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter = 5;
static _Atomic unsigned char byte = 250;
static _Atomic long wide;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int items[4];
static int* _Atomic cursor = items;

static int take(void) {
  int expected = 10;
  if (atomic_compare_exchange_strong(&counter, &expected, 77)) return -1;
  while (!atomic_compare_exchange_weak_explicit(&counter, &expected, expected * 2, memory_order_acq_rel,
                                                memory_order_relaxed)) {
  }
  return expected;
}

int main(void) {
  int old = atomic_fetch_add(&counter, 3) * 100 + atomic_fetch_sub_explicit(&counter, 1, memory_order_relaxed);
  int first = take(), second = take();
  byte += 10;
  printf("%d %d %d %d %d\n", old, first, second, counter, byte);
  wide = 0x0f;
  long bits = atomic_fetch_or(&wide, 0xf0);
  bits = bits * 1000 + atomic_fetch_and(&wide, 0x3c);
  bits = bits * 1000 + atomic_fetch_xor(&wide, 1);
  printf("%ld %ld %ld\n", bits, atomic_exchange(&wide, -1), wide);
  printf("%d", atomic_flag_test_and_set(&lock));
  printf("%d", atomic_flag_test_and_set(&lock));
  atomic_flag_clear(&lock);
  printf("%d\n", atomic_flag_test_and_set_explicit(&lock, memory_order_acquire));
  for (int i = 0; i < 4; i++) *atomic_fetch_add(&cursor, 1) = i * i;
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(&counter, items[3], memory_order_release);
  printf("%d %td\n", atomic_load_explicit(&counter, memory_order_acquire), cursor - items);
  return 0;
}
