// Pointers to functions: in tables, in structures, as arguments and results, compared, and called with a context.
#include <stdio.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int max(int a, int b) { return a > b ? a : b; }

static const operation kOperations[] = {add, sub, mul, max};

struct machine {
  int stack[8], depth;
  int (*step)(struct machine*, int);
};

static int push(struct machine* m, int value) { return m->stack[m->depth++] = value; }
static int drop(struct machine* m, int unused) {
  (void)unused;
  return m->stack[--m->depth];
}

static operation choose(const char* name) {
  switch (name[0]) {
    case 'a': return add;
    case 's': return sub;
    case 'm': return name[1] == 'a' ? max : mul;
    default: return NULL;
  }
}

static int fold(operation op, const int* values, int count, int start) {
  for (int i = 0; i < count; i++) start = op(start, values[i]);
  return start;
}

static void each(int count, void (*visit)(void*, int), void* context) {
  for (int i = 0; i < count; i++) visit(context, i);
}
static void accumulate(void* context, int i) { *(long*)context = *(long*)context * 3 + i; }

int main(void) {
  int values[] = {4, -2, 9, 3};
  for (int i = 0; i < 4; i++) printf("%d ", fold(kOperations[i], values, 4, 1));
  printf("%d %d %d\n", choose("add") == kOperations[0], choose("max") == mul, choose("?") == NULL);
  struct machine m = {.depth = 0};
  for (int i = 0; i < 5; i++) {
    m.step = i < 3 ? push : drop;
    printf("%d ", m.step(&m, i * 11));
  }
  long total = 1;
  each(12, accumulate, &total);
  printf("%ld %d\n", total, choose("mul")(6, 7));
  return 0;
}
