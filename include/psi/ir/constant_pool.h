// The literals of a function that do not fit into an operand, each kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace psi {

class ConstantPool {
 public:
  // The index of `value`, which is added if new.
  uint32_t intern(uint64_t value);
  uint64_t operator[](uint32_t index) const { return values_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(values_.size()); }
  // Frees the search table and spare capacity; the next intern rebuilds the table.
  void shrink();
  size_t memory() const;

 private:
  void rehash(size_t capacity);

  std::vector<uint64_t> values_;
  std::vector<uint32_t> table_;  // open addressing; index + 1, 0: free
};

}  // namespace psi
