// Compound literals and designated initialisers: structures, arrays and unions made where they are used.
#include <stdio.h>

struct point { int x, y; };
struct shape { const char* name; struct point corners[4]; int count; };

static int area(const struct shape* s) {
  int twice = 0;
  for (int i = 0; i < s->count; i++) {
    struct point a = s->corners[i], b = s->corners[(i + 1) % s->count];
    twice += a.x * b.y - a.y * b.x;
  }
  return twice;
}
static int sum(const int* values, int count) {
  int total = 0;
  while (count-- > 0) total += *values++;
  return total;
}
static struct point* move(struct point* p, int dx) { return p->x += dx, p; }

static int* const kShared = (int[]){9, 8, 7};

int main(void) {
  int total = 0;
  for (int i = 0; i < 4; i++) {
    total = total * 7 + sum((int[]){i, i * i, [4] = 3, 1}, 6);
    kShared[i % 3] += total;
  }
  printf("%d %d\n", total, sum(kShared, 3));
  printf("%d ", area(&(struct shape){"square", {{0, 0}, {4, 0}, {4, 4}, {0, 4}}, 4}));
  printf("%d ", area(&(struct shape){.count = 3, .corners = {[2] = {.y = 5}, [1] = {6, 1}}}));
  struct point p = *move(&(struct point){.y = 3}, 8);
  p = p.x > 5 ? (struct point){p.y, p.x} : (struct point){0};
  printf("%d %d %c %d\n", p.x, p.y, "compound"[p.x], (union { float f; int i; }){1.0f}.i);
  return 0;
}
