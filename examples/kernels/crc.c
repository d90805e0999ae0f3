// The cyclic redundancy check of 32 bits, bit by bit.
unsigned crc(unsigned char* data, long n) {
  unsigned crc = 0xffffffff;
  for (long i = 0; i < n; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) {
      if (crc & 1)
        crc = (crc >> 1) ^ 0xedb88320;
      else
        crc >>= 1;
    }
  }
  return ~crc;
}

unsigned drive(unsigned seed) {
  unsigned char data[64];
  for (long i = 0; i < 64; i++) {
    seed = seed * 1103515245 + 12345;
    data[i] = seed >> 16;
  }
  return crc(data, 64);
}
