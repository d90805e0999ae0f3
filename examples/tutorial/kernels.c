// The numbers below a limit, in their order.
long keep(const int *data, long n, int limit, int *out) {
  long kept = 0;
  for (long i = 0; i < n; i++) {
    if (data[i] < limit) {
      out[kept] = data[i];
      kept++;
    }
  }
  return kept;
}

// A checksum of the same numbers.
unsigned checksum(const int *data, long n, int limit, const unsigned *table) {
  unsigned sum = 0;
  for (long i = 0; i < n; i++) {
    if (data[i] < limit) {
      sum = (sum >> 8) ^ table[(sum ^ data[i]) & 255];
    }
  }
  return sum;
}
