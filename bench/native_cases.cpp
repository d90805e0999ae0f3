#include "native_cases.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace {

constexpr long kSize = 1 << 15;

// Numbers below a limit: any, or the same one but for one in 64.
class Numbers {
 public:
  static inline bool is_random = true;

  uint32_t below(uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    uint32_t random = static_cast<uint32_t>(state_ >> 33);
    if (is_random || drawn_++ % 64 == 0) return random % limit;
    return limit / 3;
  }
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<uint32_t>(high - low))); }

 private:
  uint64_t state_ = 42;
  uint64_t drawn_ = 0;
};

template <class T>
std::vector<T> numbers(long n, int low, int high) {
  Numbers source;
  std::vector<T> result(static_cast<size_t>(n));
  for (T& x : result) x = static_cast<T>(source.between(low, high));
  return result;
}

template <class T>
std::vector<T> chosen(long n, const std::vector<T>& of) {
  Numbers source;
  std::vector<T> result(static_cast<size_t>(n));
  for (T& x : result) x = of[source.below(static_cast<uint32_t>(of.size()))];
  return result;
}

std::vector<int> sorted(long n, int high) {
  std::vector<int> result = numbers<int>(n, 0, high);
  std::sort(result.begin(), result.end());
  return result;
}

template <class T>
uint64_t sum_of(const std::vector<T>& data) {
  uint64_t sum = 0;
  for (const T& x : data) sum = sum * 31 + static_cast<uint64_t>(x);
  return sum;
}

// A kernel that writes to `out`, which holds `initial` before.
template <class T, class Call>
Case writing(std::string name, std::vector<T> initial, Call call) {
  auto out = std::make_shared<std::vector<T>>(initial);
  return {std::move(name), [=] { std::copy(initial.begin(), initial.end(), out->begin()); },
          [=](void* kernel) { return static_cast<uint64_t>(call(kernel, out->data())); },
          [=] { return sum_of(*out); }};
}

template <class Call>
Case reading(std::string name, Call call) {
  return {std::move(name), [] {}, [=](void* kernel) { return static_cast<uint64_t>(call(kernel)); },
          [] { return uint64_t{0}; }};
}

using Byte = unsigned char;

// A balanced tree of the numbers below `size`, which is one less than a power of two, as arrays.
struct SearchTree {
  explicit SearchTree(int size) : keys(size), left(size, -1), right(size, -1), root(size / 2) {
    for (int i = 0; i < size; ++i) keys[i] = i;
    // The children of a node that stands for so many are half as far away as those of its parent.
    for (int step = (size + 1) / 4; step > 0; step /= 2) {
      for (int node = 2 * step - 1; node < size; node += 4 * step) {
        left[node] = node - step;
        right[node] = node + step;
      }
    }
  }

  std::vector<int> keys, left, right;
  int root;
};

}  // namespace

std::vector<Case> cases(bool is_random) {
  Numbers::is_random = is_random;
  const long n = kSize;
  std::vector<Case> all;
  auto ints = [](long size, int low, int high) {
    return std::make_shared<std::vector<int>>(numbers<int>(size, low, high));
  };
  auto shorts = [](long size, int low, int high) {
    return std::make_shared<std::vector<short>>(numbers<short>(size, low, high));
  };
  auto bytes = [](std::vector<Byte> data) { return std::make_shared<std::vector<Byte>>(std::move(data)); };

  all.push_back(writing("adpcm", std::vector<int>(n), [codes = ints(n, 0, 16)](void* f, int* out) {
    return reinterpret_cast<int (*)(int*, int*, long)>(f)(out, codes->data(), n);
  }));
  std::vector<Byte> alphabet;
  for (int c = 'A'; c <= 'Z'; ++c) alphabet.push_back(static_cast<Byte>(c));
  for (int c = 'a'; c <= 'z'; ++c) alphabet.push_back(static_cast<Byte>(c));
  for (int c = '0'; c <= '9'; ++c) alphabet.push_back(static_cast<Byte>(c));
  alphabet.insert(alphabet.end(), {'+', '/'});
  all.push_back(
      writing("base64", std::vector<Byte>(n), [text = bytes(chosen(n, alphabet))](void* f, Byte* out) {
        return reinterpret_cast<int (*)(Byte*, Byte*, long)>(f)(out, text->data(), n);
      }));
  auto in_order = std::make_shared<std::vector<int>>(sorted(4096, 1 << 20));
  all.push_back(reading("binary_search", [in_order, wanted = ints(2000, 0, 1 << 20)](void* f) {
    unsigned sum = 0;
    for (int x : *wanted) {
      sum = sum * 31 + static_cast<unsigned>(reinterpret_cast<int (*)(int*, long, int)>(f)(
                           in_order->data(), static_cast<long>(in_order->size()), x));
    }
    return sum;
  }));
  auto alphas = std::make_shared<std::vector<int>>(chosen<int>(n, {0, 255, 100, 0, 255, 30, 200}));
  all.push_back(writing("blend", numbers<int>(n, 0, 256), [from = ints(n, 0, 256), alphas](void* f, int* to) {
    return reinterpret_cast<int (*)(int*, int*, int*, long)>(f)(to, from->data(), alphas->data(), n);
  }));
  all.push_back(reading("calendar", [](void* f) {
    return reinterpret_cast<unsigned (*)(int, int, int, long)>(f)(1999, 1, 1, n);
  }));
  all.push_back(writing("clip", numbers<int>(n, -1000, 1000), [](void* f, int* data) {
    return reinterpret_cast<int (*)(int*, long, int, int)>(f)(data, n, -500, 250);
  }));
  all.push_back(
      reading("collatz", [](void* f) { return reinterpret_cast<int (*)(int, int, int)>(f)(1, 2000, 1000); }));
  std::vector<Byte> words;
  Numbers letters;
  for (long i = 0; i < n; ++i)
    words.push_back(static_cast<Byte>(letters.below(2) ? 'a' + letters.below(26) : 'A' + letters.below(26)));
  std::vector<Byte> other = words;
  for (Byte& c : other) c = static_cast<Byte>(letters.below(2) ? c ^ 32 : c);
  words.push_back(0);
  other.push_back(0);
  all.push_back(reading("compare_strings", [a = bytes(words), b = bytes(other)](void* f) {
    return reinterpret_cast<int (*)(Byte*, Byte*)>(f)(a->data(), b->data());
  }));
  auto many_bits =
      std::make_shared<std::vector<unsigned>>(numbers<unsigned>(n / 16, 0, is_random ? 0x7fffffff : 3));
  all.push_back(reading("count_bits", [many_bits](void* f) {
    return reinterpret_cast<int (*)(unsigned*, long)>(f)(many_bits->data(), n / 16);
  }));
  all.push_back(reading("crc", [data = bytes(numbers<Byte>(n / 8, 0, 256))](void* f) {
    return reinterpret_cast<unsigned (*)(Byte*, long)>(f)(data->data(), n / 8);
  }));
  all.push_back(writing("dead_zone", std::vector<int>(n), [in = ints(n, -1000, 1000)](void* f, int* out) {
    return reinterpret_cast<int (*)(int*, int*, long, int, int, int)>(f)(out, in->data(), n, 400, 3, 50);
  }));
  all.push_back(reading(
      "differences", [a = bytes(numbers<Byte>(n, 0, 256)), b = bytes(numbers<Byte>(n + 5, 0, 256))](void* f) {
        return reinterpret_cast<int (*)(Byte*, Byte*, long, long, int)>(f)(a->data(), b->data() + 5, n / 8, 8,
                                                                           1 << 30);
      }));
  all.push_back(reading("min_max", [in = ints(n, -1000000, 1000000)](void* f) {
    return reinterpret_cast<int (*)(int*, long)>(f)(in->data(), n);
  }));
  all.push_back(writing("fir", std::vector<short>(n), [in = shorts(n, -32768, 32767)](void* f, short* out) {
    return reinterpret_cast<int (*)(short*, short*, long)>(f)(out, in->data(), n);
  }));
  all.push_back(reading("gcd", [in = ints(2000, 1, 1 << 28)](void* f) {
    unsigned sum = 0;
    for (size_t i = 0; i + 1 < in->size(); ++i) {
      sum += reinterpret_cast<unsigned (*)(unsigned, unsigned)>(f)(static_cast<unsigned>((*in)[i]),
                                                                   static_cast<unsigned>((*in)[i + 1]));
    }
    return sum;
  }));
  auto samples = std::make_shared<std::vector<unsigned short>>(numbers<unsigned short>(n, 0, 512));
  all.push_back(writing("histogram", std::vector<int>(16), [samples](void* f, int* bins) {
    return reinterpret_cast<int (*)(int*, unsigned short*, long, int)>(f)(bins, samples->data(), n, 200);
  }));
  all.push_back(writing("huffman", std::vector<Byte>(n), [many_bits](void* f, Byte* out) {
    return reinterpret_cast<int (*)(Byte*, unsigned*, long)>(f)(out, many_bits->data(), n);
  }));
  all.push_back(writing("insertion", numbers<int>(400, 0, 100000), [](void* f, int* data) {
    return reinterpret_cast<int (*)(int*, long)>(f)(data, 400);
  }));
  all.push_back(writing("median", std::vector<int>(n), [in = ints(n, 0, 256)](void* f, int* out) {
    return reinterpret_cast<int (*)(int*, int*, long)>(f)(out, in->data(), n);
  }));
  auto left = std::make_shared<std::vector<int>>(sorted(n / 2, 1 << 20));
  auto right = std::make_shared<std::vector<int>>(*left);
  for (int& x : *right) x = is_random ? static_cast<int>(letters.below(1 << 20)) : x + (1 << 20);
  std::sort(right->begin(), right->end());
  all.push_back(writing("merge", std::vector<int>(n), [left, right](void* f, int* out) {
    return reinterpret_cast<int (*)(int*, int*, long, int*, long)>(f)(out, left->data(), n / 2, right->data(),
                                                                      n / 2);
  }));
  std::vector<int> unsorted = numbers<int>(n, 0, 1000);
  unsorted.back() = 500;
  all.push_back(writing("partition", unsorted, [](void* f, int* data) {
    return reinterpret_cast<int (*)(int*, long)>(f)(data, n);
  }));
  all.push_back(writing("quantise", std::vector<short>(n), [in = shorts(n, -60, 60)](void* f, short* out) {
    return reinterpret_cast<int (*)(short*, short*, long, int)>(f)(out, in->data(), n, 16);
  }));
  auto runs = bytes(chosen<Byte>(n, {0, 1, 2, 3, 130, 129, 131, 0, 128, 1}));
  all.push_back(writing("run_length", std::vector<Byte>(4 * n), [runs](void* f, Byte* out) {
    return reinterpret_cast<int (*)(Byte*, long, Byte*, long)>(f)(out, 4 * n, runs->data(), n);
  }));
  all.push_back(writing("saturated_add", std::vector<short>(n),
                        [a = shorts(n, -32768, 32767), b = shorts(n, -30000, 30000)](void* f, short* out) {
                          return reinterpret_cast<int (*)(short*, short*, short*, long)>(f)(out, a->data(),
                                                                                            b->data(), n);
                        }));
  auto text = bytes(
      chosen<Byte>(n, {'0', '1', '2', '7', '9', '3', ' ', ' ', '5', '-', '.', 'x', ' ', '4', '8', ' '}));
  all.push_back(reading(
      "scanner", [text](void* f) { return reinterpret_cast<int (*)(Byte*, long)>(f)(text->data(), n); }));
  all.push_back(
      writing("sign", std::vector<signed char>(n), [in = ints(n, -2, 3)](void* f, signed char* out) {
        return reinterpret_cast<int (*)(signed char*, int*, long)>(f)(out, in->data(), n);
      }));
  all.push_back(writing("sobel", std::vector<int>(n), [in = ints(3 * n, 0, 256)](void* f, int* out) {
    return reinterpret_cast<int (*)(int*, int*, long)>(f)(out, in->data(), n);
  }));
  auto sparse = std::make_shared<std::vector<int>>(chosen<int>(n, {0, 5, 0, 900, -3, 0, -800, 2}));
  all.push_back(reading("sparse_dot", [sparse, b = ints(n, -300, 300)](void* f) {
    return reinterpret_cast<int (*)(int*, int*, long, int)>(f)(sparse->data(), b->data(), n, 100000);
  }));
  auto characters = bytes(chosen<Byte>(n, {'a', 0xc3, 0x80, 0xe2, 0x82, 0x90, 'z', 0xf0, 0x81, 'b', 0xff}));
  all.push_back(reading("utf8", [characters](void* f) {
    return reinterpret_cast<int (*)(Byte*, long)>(f)(characters->data(), n);
  }));
  all.push_back(writing("filter", std::vector<int>(n), [in = ints(n, 0, 1000)](void* f, int* out) {
    return reinterpret_cast<long (*)(int*, int*, long, int, int)>(f)(out, in->data(), n, 200, 700);
  }));
  all.push_back(writing("flag", numbers<int>(n, 0, 1000), [](void* f, int* data) {
    return reinterpret_cast<long (*)(int*, long, int)>(f)(data, n, 500);
  }));
  std::vector<int> heap = numbers<int>(n, 0, 1 << 20);
  std::make_heap(heap.begin(), heap.end());
  all.push_back(writing("heap", heap, [](void* f, int* data) {
    return reinterpret_cast<int (*)(int*, long, long)>(f)(data, n, n / 16);
  }));
  const std::string digits = "0123456789abcdefABCDEF";
  auto hexadecimal = bytes(chosen(n, std::vector<Byte>(digits.begin(), digits.end())));
  all.push_back(writing("hex", std::vector<Byte>(n / 2), [hexadecimal](void* f, Byte* out) {
    return reinterpret_cast<int (*)(Byte*, Byte*, long)>(f)(out, hexadecimal->data(), n);
  }));
  auto common = [left, right](void* f, int* out) {
    return reinterpret_cast<long (*)(int*, int*, long, int*, long)>(f)(out, left->data(), n / 2,
                                                                       right->data(), n / 2);
  };
  all.push_back(writing("intersect", std::vector<int>(n), common));
  // Of all sizes equally often.
  std::vector<short> loud = numbers<short>(n, 0, 15);
  Numbers sizes;
  for (short& x : loud)
    x = static_cast<short>((sizes.below(2) ? 1 : -1) * static_cast<int>(sizes.below(2u << x)));
  all.push_back(writing("mulaw", std::vector<Byte>(n),
                        [in = std::make_shared<std::vector<short>>(loud)](void* f, Byte* out) {
                          return reinterpret_cast<int (*)(Byte*, short*, long)>(f)(out, in->data(), n);
                        }));
  all.push_back(writing("paeth", numbers<Byte>(n, 0, 256),
                        [above = bytes(numbers<Byte>(n, 0, 256))](void* f, Byte* row) {
                          return reinterpret_cast<int (*)(Byte*, Byte*, long)>(f)(row, above->data(), n);
                        }));
  auto coded = bytes(numbers<Byte>(n, 0, 256));
  all.push_back(writing("range_decoder", std::vector<unsigned short>(256, 1024),
                        [coded, out = bytes(std::vector<Byte>(n))](void* f, unsigned short* odds) {
                          return reinterpret_cast<long (*)(Byte*, unsigned short*, Byte*, long)>(f)(
                              out->data(), odds, coded->data(), n);
                        }));
  auto nodes = std::make_shared<SearchTree>(4095);
  all.push_back(reading("tree", [nodes, wanted = ints(2000, 0, 4096)](void* f) {
    unsigned sum = 0;
    for (int x : *wanted) {
      sum = sum * 31 + static_cast<unsigned>(reinterpret_cast<int (*)(int*, int*, int*, int, int)>(f)(
                           nodes->keys.data(), nodes->left.data(), nodes->right.data(), nodes->root, x));
    }
    return sum;
  }));
  auto prose = bytes(chosen<Byte>(n, {'a', 'b', 'c', ' ', 'd', 'e', '\n', 'f', ' ', 'g', 'h', '\t'}));
  all.push_back(reading(
      "words", [prose](void* f) { return reinterpret_cast<int (*)(Byte*, long)>(f)(prose->data(), n); }));
  std::ranges::sort(all, {}, &Case::name);
  return all;
}
