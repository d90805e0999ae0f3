// The greatest common divisor by Stein's method: shifts and differences.
unsigned gcd(unsigned a, unsigned b) {
  int twos = 0;
  if (a == 0) return b;
  if (b == 0) return a;
  while (a != b) {
    if ((a & 1) == 0) {
      a >>= 1;
      if ((b & 1) == 0) {
        b >>= 1;
        twos++;
      }
    } else if ((b & 1) == 0) {
      b >>= 1;
    } else if (a > b) {
      a = (a - b) >> 1;
    } else {
      b = (b - a) >> 1;
    }
  }
  return a << twos;
}

unsigned drive(unsigned seed) {
  unsigned sum = 0;
  for (long i = 0; i < 40; i++) {
    seed = seed * 1103515245 + 12345;
    unsigned a = (seed >> 16 & 4095) * 12;
    unsigned b = (seed >> 8 & 4095) * 18;
    sum = sum * 31 + gcd(a, b);
  }
  return sum;
}
