// Volatile variables: read as often as written down, in order, also where the value is not used.
#include <stdio.h>

static volatile int reads;
static volatile unsigned char port[4] = {1, 2, 3, 4};
struct device { volatile int status; int cache; volatile short data[3]; };
static struct device device = {3, 0, {7, 8, 9}};

static int poll(volatile int* status, int limit) {
  int rounds = 0;
  while (*status > 0 && rounds < limit) {
    *status = *status - 1;
    rounds++;
  }
  return rounds;
}

static int touch(void) {
  reads++;
  reads;
  return reads + reads;
}

int main(void) {
  volatile int local = 5;
  int twice = local * local;
  local++;
  for (volatile int i = 0; i < 10; i++) port[i & 3] += (unsigned char)(i + local);
  int rounds = poll(&device.status, 10);
  device.cache = device.data[0] + device.data[2];
  device.data[1] = (short)(device.cache * 1000);
  volatile struct { int a; double b; } pair = {1, 0.5};
  pair.b += pair.a;
  printf("%d %d %d %d %d\n", twice, local, rounds, touch(), touch());
  printf("%d %d %d %d %d %g\n", port[0], port[1], port[2], port[3], device.data[1], pair.b);
  return 0;
}
