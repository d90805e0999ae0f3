// Calls of the kernels of examples/kernels, with data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What one call reads and writes. Copies of it are restored before each.
struct Case {
  std::string name;
  std::function<void()> prepare;
  std::function<uint64_t(void*)> call;  // with the kernel's address
  std::function<uint64_t()> left;       // a checksum of what was written
};

// With random data, where branches cannot be predicted, or with data most of which are the same. In the order
// of their names.
std::vector<Case> cases(bool is_random);
