// A heap-allocated list, arrays of arrays, strings, variadic functions, pointers to pointers.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int value; struct node* next; };

static void insert(struct node** at, int value) {
  while (*at && (*at)->value < value) at = &(*at)->next;
  struct node* node = malloc(sizeof *node);
  node->value = value, node->next = *at, *at = node;
}

static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  while (count-- > 0) total = total * 2 + va_arg(list, int);
  va_end(list);
  return total;
}

static int table[3][4] = {{1, 2, 3}, {4, 5}, {6}};
static const char* const kNames[] = {"zero", "one", "two"};

int main(void) {
  struct node* head = NULL;
  for (int i = 0, x = 17; i < 12; i++, x = x * 29 % 101) insert(&head, x);
  for (struct node* n = head; n; n = n->next) printf("%d ", n->value);
  while (head) {
    struct node* next = head->next;
    free(head);
    head = next;
  }
  int t = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) table[i][k] += i * k, t = t * 3 + table[i][k];
  char buffer[32];
  memset(buffer, 'x', sizeof buffer);
  memcpy(buffer + 3, kNames[t % 3 < 0 ? 0 : t % 3], 3);
  buffer[8] = 0;
  printf("\n%d %d %s\n", t, sum(4, 1, 2, 3, 4), buffer);
  return 0;
}
