// pictures FILE: reads a picture, resizes it, writes it in each format, and prints checksums of what is read
// again.
#undef STB_IMAGE_IMPLEMENTATION
#undef STB_IMAGE_RESIZE_IMPLEMENTATION
#undef STB_IMAGE_WRITE_IMPLEMENTATION
#undef STB_DXT_IMPLEMENTATION
#include <stdio.h>
#include <stdlib.h>

#include "stb_dxt.h"
#include "stb_image.h"
#include "stb_image_resize.h"
#include "stb_image_write.h"

static void print_sum(const char* what, const unsigned char* bytes, size_t size) {
  unsigned sum = 1;
  for (size_t i = 0; i < size; ++i) sum = sum * 31 + bytes[i];
  printf("%s %zu bytes: %08x\n", what, size, sum);
}

static void read_again(const char* path) {
  int width, height, channels;
  unsigned char* pixels = stbi_load(path, &width, &height, &channels, 4);
  if (!pixels) {
    printf("%s: %s\n", path, stbi_failure_reason());
    return;
  }
  print_sum(path, pixels, (size_t)width * height * 4);
  stbi_image_free(pixels);
}

int main(int argc, char** argv) {
  int width, height, channels;
  unsigned char* pixels = argc == 2 ? stbi_load(argv[1], &width, &height, &channels, 3) : NULL;
  if (!pixels) {
    fprintf(stderr, "pictures: %s\n", argc == 2 ? stbi_failure_reason() : "no file");
    return 1;
  }
  print_sum("read", pixels, (size_t)width * height * 3);
  static unsigned char resized[300 * 200 * 3], blocks[16];
  stbir_resize_uint8_srgb(pixels, width, height, 0, resized, 300, 200, 0, 3, STBIR_ALPHA_CHANNEL_NONE, 0);
  print_sum("larger", resized, sizeof resized);
  stbi_write_png("out.png", 300, 200, 3, resized, 0);
  stbi_write_bmp("out.bmp", 300, 200, 3, resized);
  stbi_write_tga("out.tga", 300, 200, 3, resized);
  stbi_write_jpg("out.jpg", 300, 200, 3, resized, 80);
  stbir_resize_uint8(pixels, width, height, 0, resized, 31, 17, 0, 3);
  print_sum("smaller", resized, 31 * 17 * 3);
  const char* written[] = {"out.png", "out.bmp", "out.tga", "out.jpg"};
  for (int i = 0; i < 4; ++i) read_again(written[i]);
  float* light = stbi_loadf("out.jpg", &width, &height, &channels, 3);
  stbi_write_hdr("out.hdr", width, height, 3, light);
  read_again("out.hdr");
  for (int i = 0; i + 64 < 31 * 17 * 3; i += 64) {
    stb_compress_dxt_block(blocks, resized + i, 1, STB_DXT_HIGHQUAL);
    print_sum("block", blocks, sizeof blocks);
  }
  return 0;
}
