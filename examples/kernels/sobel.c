// Finds edges in one line of an image by Sobel's operator, from the lines above and below it.
int sobel(int* out, int* in, long width) {
  int edges = 0;
  int* below = in + 2 * width;
  for (long x = 1; x < width - 1; x++) {
    int falling = below[x + 1] - in[x - 1];
    int rising = below[x - 1] - in[x + 1];
    int gx = falling - rising + 2 * (in[x + width + 1] - in[x + width - 1]);
    int gy = falling + rising + 2 * (below[x] - in[x]);
    if (gx < 0) gx = -gx;
    if (gy < 0) gy = -gy;
    int g = gx + gy;
    if (g > 255) g = 255;
    if (g > 128) edges++;
    out[x] = g;
  }
  return edges;
}

unsigned drive(unsigned seed) {
  int in[192];
  int out[64];
  for (long i = 0; i < 192; i++) {
    seed = seed * 1103515245 + 12345;
    in[i] = (seed >> 16) & 127;
  }
  unsigned sum = sobel(out, in, 64);
  for (long i = 1; i < 63; i++) sum = sum * 31 + out[i];
  return sum;
}
