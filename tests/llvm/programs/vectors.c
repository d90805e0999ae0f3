// Structures of floats by value.
// Compiled only: two floats in one register are a vector.
#include <stdio.h>

struct pair { float x, y; };
struct vector { float x, y, z; };
struct matrix { struct vector rows[3]; };

static struct pair rotate(struct pair p) { return (struct pair){-p.y, p.x}; }
static struct vector cross(struct vector a, struct vector b) {
  return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static struct vector apply(struct matrix m, struct vector v) {
  for (int i = 0; i < 3; i++) m.rows[i].x *= v.x, m.rows[i].x += m.rows[i].y * v.y + m.rows[i].z * v.z;
  return (struct vector){m.rows[0].x, m.rows[1].x, m.rows[2].x};
}

int main(void) {
  struct pair p = {1.5f, -2};
  for (int i = 0; i < 3; i++) p = rotate(p);
  struct vector a = {1, 2, 3}, b = cross(a, (struct vector){-4, 0.5f, 6});
  struct matrix m = {{a, b, {0, -1, 0.25f}}};
  struct vector c = apply(m, apply(m, b));
  printf("%g %g %g %g %g %g %g %g\n", p.x, p.y, b.x, b.y, b.z, c.x, c.y, c.z);
  return 0;
}
