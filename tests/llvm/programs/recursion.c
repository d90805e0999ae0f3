// Recursion: deep, mutual, with many live values, over a tree, with backtracking.
#include <stdio.h>
#include <stdlib.h>

static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int queens(int size, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == size) return 1;
  int count = 0;
  for (int c = 0; c < size; c++) {
    unsigned bit = 1u << c;
    if ((columns | left | right) & bit) continue;
    count += queens(size, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}

struct tree { int key; struct tree *left, *right; };

static struct tree* insert(struct tree* t, int key) {
  if (!t) {
    t = malloc(sizeof *t);
    *t = (struct tree){key, NULL, NULL};
  } else if (key < t->key) {
    t->left = insert(t->left, key);
  } else if (key > t->key) {
    t->right = insert(t->right, key);
  }
  return t;
}
static int depth(const struct tree* t) {
  if (!t) return 0;
  int l = depth(t->left), r = depth(t->right);
  return 1 + (l > r ? l : r);
}
static void release(struct tree* t) {
  if (!t) return;
  release(t->left);
  printf("%d ", t->key);
  release(t->right);
  free(t);
}

static long hanoi(int n, int from, int to, long hash) {
  if (n == 0) return hash;
  int other = 3 - from - to;
  hash = hanoi(n - 1, from, other, hash);
  hash = hash * 31 % 1000003 + from * 3 + to;
  return hanoi(n - 1, other, to, hash);
}

int main(void) {
  struct tree* t = NULL;
  for (int i = 0, x = 5; i < 20; i++, x = x * 17 % 61) t = insert(t, x);
  printf("%d %d %d %d\n", is_even(1001), ackermann(2, 7), queens(6, 0, 0, 0, 0), depth(t));
  release(t);
  printf("%ld\n", hanoi(10, 0, 2, 1));
  return 0;
}
