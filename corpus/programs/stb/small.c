// Formats numbers, fills a hash table and an array, packs rectangles, and computes noise.
#undef STB_DS_IMPLEMENTATION
#undef STB_PERLIN_IMPLEMENTATION
#undef STB_RECT_PACK_IMPLEMENTATION
#undef STB_SPRINTF_IMPLEMENTATION
#include <stdio.h>

#include "stb_ds.h"
#include "stb_perlin.h"
#include "stb_rect_pack.h"
#include "stb_sprintf.h"

static void format(void) {
  double values[] = {0, 1, -1.5, 3.14159265358979, 1e300, 1e-300, 123456789.125, 0.1};
  char text[512];
  for (int i = 0; i < 8; ++i) {
    stbsp_snprintf(text, sizeof text, "%f %.3f %g %e %a %'.0f %12.4f|%-10d|%08x|%lld|%s|%c", values[i],
                   values[i], values[i], values[i], values[i], values[i] < 1e15 ? values[i] * 1000 : 0.0,
                   values[i], i * 1000, i * 77777, -5LL << i, "text", 'a' + i);
    puts(text);
  }
}

static void hash(void) {
  struct {
    char* key;
    int value;
  }* words = NULL;
  int* numbers = NULL;
  char name[16];
  sh_new_strdup(words);
  for (int i = 0; i < 1000; ++i) {
    snprintf(name, sizeof name, "w%d", i * 7919 % 300);
    shput(words, name, shget(words, name) + i);
    arrput(numbers, i * i % 97);
  }
  arrdelswap(numbers, 3);
  arrins(numbers, 5, 1000);
  long sum = 0;
  for (int i = 0; i < arrlen(numbers); ++i) sum = sum * 3 % 1000003 + numbers[i];
  for (int i = 0; i < 100; ++i) {
    snprintf(name, sizeof name, "w%d", i * 3);
    shdel(words, name);
  }
  printf("%d words, w7 is %d, %d numbers, %ld\n", (int)shlen(words), shget(words, "w7"), (int)arrlen(numbers),
         sum);
  shfree(words);
  arrfree(numbers);
}

static void pack(void) {
  static stbrp_node nodes[256];
  stbrp_rect rects[60];
  stbrp_context context;
  for (int i = 0; i < 60; ++i) rects[i] = (stbrp_rect){.id = i, .w = 5 + i * 7 % 23, .h = 4 + i * 11 % 19};
  stbrp_init_target(&context, 128, 128, nodes, 256);
  printf("all packed: %d\n", stbrp_pack_rects(&context, rects, 60));
  for (int i = 0; i < 60; ++i) printf("%d,%d%s", rects[i].x, rects[i].y, i % 15 == 14 ? "\n" : " ");
}

int main(void) {
  format();
  hash();
  pack();
  for (int i = 0; i < 20; ++i) {
    printf("%.9g %.9g %.9g\n", stb_perlin_noise3(i * 0.37f, i * 0.11f, 0.5f, 0, 0, 0),
           stb_perlin_ridge_noise3(i * 0.2f, 1.5f, i * 0.3f, 2, 0.5f, 1, 6),
           stb_perlin_turbulence_noise3(i * 0.7f, 0.1f, 0.2f, 2, 0.5f, 4));
  }
  return 0;
}
