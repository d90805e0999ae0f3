// Looks a number up in a search tree: the last node that is not greater, or -1.
int tree(int* keys, int* left, int* right, int root, int x) {
  int best = -1;
  int node = root;
  while (node >= 0) {
    if (keys[node] <= x) {
      best = node;
      node = right[node];
    } else {
      node = left[node];
    }
  }
  return best;
}

unsigned drive(unsigned seed) {
  int keys[40];
  int left[40];
  int right[40];
  for (int i = 0; i < 40; i++) {
    seed = seed * 1103515245 + 12345;
    keys[i] = (seed >> 16) & 1023;
    left[i] = -1;
    right[i] = -1;
    int node = 0;
    while (node < i) {
      int next;
      if (keys[node] <= keys[i]) {
        next = right[node];
        if (next < 0) right[node] = i;
      } else {
        next = left[node];
        if (next < 0) left[node] = i;
      }
      if (next < 0) next = i;
      node = next;
    }
  }
  unsigned sum = 0;
  for (int i = 0; i < 60; i++) {
    seed = seed * 1103515245 + 12345;
    sum = sum * 31 + tree(keys, left, right, 0, (seed >> 16) & 1023);
  }
  return sum;
}
