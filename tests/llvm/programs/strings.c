// The C library's strings and memory, qsort and bsearch with callbacks, snprintf.
// Compiled only: these functions are not the interpreter's.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_length(const void* a, const void* b) {
  const char *x = *(const char* const*)a, *y = *(const char* const*)b;
  size_t m = strlen(x), n = strlen(y);
  return m != n ? (m < n ? -1 : 1) : strcmp(x, y);
}
static int by_value(const void* a, const void* b) {
  int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}
static char* reverse(char* text) {
  for (char *a = text, *b = text + strlen(text); a < b;) {
    char t = *a;
    *a++ = *--b, *b = t;
  }
  return text;
}

int main(void) {
  const char* words[] = {"predicate", "phi", "psi", "guard", "web", "domain", "phi"};
  qsort(words, 7, sizeof *words, by_length);
  for (int i = 0; i < 7; i++) printf("%s ", words[i]);
  int numbers[40];
  for (int i = 0; i < 40; i++) numbers[i] = i * 7919 % 541;
  qsort(numbers, 40, sizeof *numbers, by_value);
  int key = numbers[17];
  const int* found = bsearch(&key, numbers, 40, sizeof *numbers, by_value);
  printf("%d %d %td\n", numbers[0], numbers[39], found - numbers);
  char buffer[64] = "overlapping";
  memmove(buffer + 4, buffer, 8);
  printf("%s %zu %d ", buffer, strlen(buffer), memcmp(buffer, "over", 4));
  strcat(strcpy(buffer, "ab"), "cdef");
  printf("%s %s %s\n", reverse(buffer), strchr(buffer, 'c'), strstr(buffer, "ba"));
  snprintf(buffer, sizeof buffer, "%5d|%-6s|%04x|%.3f", -42, "left", 0xbeef, 2.0 / 3);
  int upper = 0;
  for (char* p = buffer; *p; p++) upper += isalpha((unsigned char)*p) ? toupper((unsigned char)*p) : 1;
  printf("%s %d %ld %d\n", buffer, upper, strtol("-0x1f", NULL, 16), atoi("123abc"));
  return strncmp("same", "sample", 2);
}
