// Times the kernels on random numbers from 0 to 999: main LIMIT
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kSize = 1 << 16, kTurns = 50 };

long keep(const int *data, long n, int limit, int *out);
unsigned checksum(const int *data, long n, int limit, const unsigned *table);

static int data[kSize], out[kSize];
static unsigned table[256];

static unsigned state = 1;
static unsigned next(void) { return state = state * 1103515245 + 12345; }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int argc, char **argv) {
  int limit = argc > 1 ? atoi(argv[1]) : 500;
  for (int i = 0; i < kSize; i++) data[i] = (next() >> 16) % 1000;
  for (int i = 0; i < 256; i++) table[i] = next();

  long kept = 0;
  unsigned sum = 0;
  double keep_time = 1e18, checksum_time = 1e18;
  for (int turn = 0; turn < kTurns; turn++) {
    double start = now();
    kept = keep(data, kSize, limit, out);
    double middle = now();
    sum = checksum(data, kSize, limit, table);
    double end = now();
    if (middle - start < keep_time) keep_time = middle - start;
    if (end - middle < checksum_time) checksum_time = end - middle;
  }
  printf("keep      %5.2f ns for each number, result %ld\n", keep_time / kSize, kept);
  printf("checksum  %5.2f ns for each number, result %u\n", checksum_time / kSize, sum);
  return 0;
}
