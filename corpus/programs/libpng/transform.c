// transform IN.png OUT.png: reads through most of libpng's transformations, prints a checksum of the pixels,
// and writes them interlaced and filtered in all ways.
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char* what) {
  fprintf(stderr, "transform: %s\n", what);
  exit(1);
}

static png_bytepp read_picture(const char* path, png_uint_32* width, png_uint_32* height) {
  FILE* file = fopen(path, "rb");
  if (!file) fail("cannot read");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) fail("libpng does not accept the picture");
  png_init_io(png, file);
  png_read_info(png, info);
  png_color_16 grey = {0, 100, 100, 100, 100};
  png_set_gamma(png, 2.2, 0.45455);
  png_set_expand(png);
  png_set_background(png, &grey, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1.0);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_filler(png, 255, PNG_FILLER_AFTER);
  png_set_bgr(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  *width = png_get_image_width(png, info);
  *height = png_get_image_height(png, info);
  png_bytepp rows = malloc(*height * sizeof *rows);
  for (png_uint_32 y = 0; y < *height; ++y) rows[y] = malloc(png_get_rowbytes(png, info));
  png_read_image(png, rows);
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  fclose(file);
  return rows;
}

static void write_picture(const char* path, png_bytepp rows, png_uint_32 width, png_uint_32 height) {
  FILE* file = fopen(path, "wb");
  if (!file) fail("cannot write");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) fail("libpng does not write the picture");
  png_init_io(png, file);
  png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_ADAM7,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_filter(png, 0, PNG_ALL_FILTERS);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  fclose(file);
}

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: transform IN.png OUT.png");
  png_uint_32 width, height;
  png_bytepp rows = read_picture(argv[1], &width, &height);
  unsigned sum = 1;
  for (png_uint_32 y = 0; y < height; ++y) {
    for (png_uint_32 x = 0; x < width * 4; ++x) sum = sum * 31 + rows[y][x];
  }
  printf("%u x %u: %08x\n", (unsigned)width, (unsigned)height, sum);
  write_picture(argv[2], rows, width, height);
  return 0;
}
