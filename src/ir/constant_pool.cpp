#include "psi/ir/constant_pool.h"

namespace psi {
namespace {

// splitmix64's finaliser: spreads clustered literals over the table.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

uint32_t ConstantPool::intern(uint64_t value) {
  if ((values_.size() + 1) * 2 > table_.size()) rehash(values_.size() * 4 + 16);
  size_t mask = table_.size() - 1;
  size_t at = mix(value) & mask;
  while (table_[at] != 0) {
    if (values_[table_[at] - 1] == value) return table_[at] - 1;
    at = (at + 1) & mask;
  }
  values_.push_back(value);
  table_[at] = size();
  return size() - 1;
}

void ConstantPool::rehash(size_t capacity) {
  size_t size = 16;
  while (size < capacity) size *= 2;
  table_.assign(size, 0);
  for (uint32_t i = 0; i < values_.size(); ++i) {
    size_t at = mix(values_[i]) & (size - 1);
    while (table_[at] != 0) at = (at + 1) & (size - 1);
    table_[at] = i + 1;
  }
}

void ConstantPool::shrink() {
  values_.shrink_to_fit();
  table_ = {};
}

size_t ConstantPool::memory() const {
  return values_.capacity() * sizeof(uint64_t) + table_.capacity() * sizeof(uint32_t);
}

}  // namespace psi
