// Control flow without structure: loops with several entries, jumps into and out of blocks, a machine made of gotos.
#include <stdio.h>

static int three_entries(int where, int n) {
  int trace = 0;
  if (where == 0) goto a;
  if (where == 1) goto b;
  goto c;
a:
  trace = trace * 3 + 1;
  if (n-- <= 0) return trace;
  if (n % 2) goto c;
b:
  trace = trace * 3 + 2;
  if (n-- <= 0) return trace + 1;
  if (n % 3 == 0) goto a;
c:
  trace = trace * 3;
  if (n-- <= 0) return trace + 2;
  if (n % 5 == 1) goto b;
  goto a;
}

static int into_loop(int start, int count) {
  int i = start, sum = 0;
  if (start > 3) goto inside;
  for (i = 0; i < count; i++) {
    sum += i;
    if (sum > 40) goto out;
  inside:
    sum ^= i << 1;
  }
  sum += 1000;
out:
  return sum;
}

// Two loops that share a part.
static int crossed(unsigned x) {
  int steps = 0;
left:
  steps++;
  if (x == 1) goto end;
  if (x & 1) goto right;
  x >>= 1;
  if (steps > 300) goto end;
  goto left;
right:
  steps += 2;
  x = x * 3 + 1;
  if (x % 8 == 2) goto right_again;
  goto left;
right_again:
  x /= 2;
  if (x & 1) goto right;
  goto left;
end:
  return steps;
}

static int accepts(const char* text) {
start:
  if (*text == 'a') { text++; goto after_a; }
  return *text == 0;
after_a:
  switch (*text++) {
    case 'a': goto after_a;
    case 'b': goto after_b;
    default: return 0;
  }
after_b:
  if (*text == 'b') { text++; goto start; }
  return *text == 0 ? 2 : 0;
}

int main(void) {
  for (int where = 0; where < 3; where++)
    for (int n = 0; n < 12; n += 5) printf("%d ", three_entries(where, n));
  printf("%d %d %d\n", into_loop(0, 6), into_loop(5, 9), into_loop(2, 50));
  printf("%d %d %d\n", crossed(27), crossed(64), crossed(97));
  printf("%d%d%d%d%d\n", accepts(""), accepts("aabb"), accepts("ab"), accepts("abba"), accepts("aabbab"));
  return 0;
}
