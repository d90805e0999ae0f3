// Pairs of a block and a variable, and a value for each: a hash table with open addressing.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/operand.h"
#include "psi/support/id.h"

namespace psi::ssa {

class VersionTable {
 public:
  VersionTable() : slots_(1024) {}

  // None if there is no value.
  Operand find(BlockId b, Reg variable) const { return slots_[slot(key(b, variable))].value; }
  void set(BlockId b, Reg variable, Operand value) {
    Slot& found = slots_[slot(key(b, variable))];
    if (found.value.is_none()) {
      found.key = key(b, variable);
      ++size_;
    }
    found.value = value;
    if (size_ * 2 > slots_.size()) grow();
  }

 private:
  struct Slot {
    uint64_t key = 0;
    Operand value;  // none: free
  };

  static uint64_t key(BlockId b, Reg variable) { return uint64_t{b.index()} << 32 | variable.index(); }
  size_t slot(uint64_t key) const {
    size_t mask = slots_.size() - 1;
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    size_t i = (hash ^ hash >> 32) & mask;
    while (!slots_[i].value.is_none() && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& entry : old) {
      if (!entry.value.is_none()) slots_[slot(entry.key)] = entry;
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

}  // namespace psi::ssa
