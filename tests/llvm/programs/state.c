// State that outlives calls: static locals, globals that point to each other, initialisers of all kinds, a generator.
#include <stdio.h>

static int next_id(void) {
  static int id = 100;
  return id++;
}
static const char* toggle(void) {
  static const char* const names[] = {"on", "off"};
  static unsigned which;
  return names[which++ % 2];
}
static unsigned long random_number(void) {
  static unsigned long state = 88172645463325252ul;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

struct node { struct node* next; const char* name; int weight[3]; };
static struct node second;
static struct node first = {&second, "first", {[1] = 5}};
static struct node second = {&first, "second" + 3, {1, 2, 3}};
static int* inside = &second.weight[2];
static char text[8] = "tab\t\0x";
static double table[2][3] = {{1.5}, {-2, 1e300}};
static long long offsets[] = {[3] = -1, [0] = 1LL << 40};
extern int shared;
int shared = 'q';
static int (*get)(void) = next_id;

int main(void) {
  for (int i = 0; i < 3; i++) printf("%d %s ", get(), toggle());
  struct node* n = &first;
  for (int i = 0; i < 5; i++) {
    n->weight[i % 3] += ++*inside;
    n = n->next;
  }
  printf("%s %d %d %d\n", n->name, first.weight[1], second.weight[2], *inside);
  printf("%d %d %g %g %lld %d\n", text[3], text[5], table[0][1], table[1][1], offsets[0] + offsets[3], shared);
  unsigned long hash = 0;
  for (int i = 0; i < 50; i++) hash = hash * 31 + random_number() % 1000;
  printf("%lu %zu\n", hash, sizeof offsets / sizeof *offsets);
  return 0;
}
