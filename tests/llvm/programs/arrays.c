// Arrays whose length is known at run time: in loops, of two dimensions, in recursion, left by break and
// goto. If their memory were not freed in each iteration, the loop would need more than any stack has.
#include <stdio.h>

static int rounds(int count, int length) {
  int total = 0;
  for (int i = 0; i < count; i++) {
    int block[length + i % 3];
    for (int k = 0; k < length; k += 64) block[k] = i ^ k;
    if (i % 7 == 3) continue;
    total += block[0] + block[length / 64 * 64 - 64];
  }
  return total;
}

static long matrix(int rows, int columns) {
  long m[rows][columns], trace = 0;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) m[r][c] = r * 10 + c;
  for (int r = 0; r < rows && r < columns; r++) trace = trace * 3 + m[r][columns - 1 - r];
  return trace + (long)sizeof m;
}

static int nested(int n) {
  char outer[n];
  outer[0] = (char)n;
  for (int i = 1; i < n; i++) {
    char inner[i];
    for (int k = 0; k < i; k++) inner[k] = outer[k / 2] + k;
    outer[i] = inner[i / 2];
    if (outer[i] == 77) goto done;
  }
done:
  return n > 2 ? outer[n - 1] + nested(n - 2) : outer[0];
}

static int fill(int n, int a[n]) {
  for (int i = 0; i < n; i++) a[i] = i * i;
  return a[n - 1];
}

int main(void) {
  int values[7];
  printf("%d %ld %d %d\n", rounds(3000, 4096), matrix(3, 5), nested(20), fill(7, values));
  return 0;
}
