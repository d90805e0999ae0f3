// The current value of every variable along one path of the dominator tree.
//
// A stack for each variable, all in one array: an entry knows the entry below it, and the entries of a block
// lie together, so that leaving the block takes them off together (Briggs et al. 1998, figure 7).
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ssa.h"

namespace psi::ssa {

class Stacks {
 public:
  Stacks(const Function& function, NameStacks discipline)
      : function_(function), discipline_(discipline), top_(function.num_regs(), kEmpty) {}

  void enter_block() { block_starts_.push_back(static_cast<uint32_t>(entries_.size())); }
  void leave_block() {
    for (; entries_.size() > block_starts_.back(); entries_.pop_back()) {
      top_[entries_.back().variable.index()] = entries_.back().below;
    }
    block_starts_.pop_back();
  }

  Operand read(Reg variable) const {
    uint32_t top = top_[variable.index()];
    return top == kEmpty ? Operand::undef(function_.type(variable)) : entries_[top].value;
  }

  void write(Reg variable, Operand value) {
    uint32_t& top = top_[variable.index()];
    if (discipline_ == NameStacks::PushOnce && top != kEmpty && top >= block_starts_.back()) {
      entries_[top].value = value;
      return;
    }
    entries_.push_back({variable, value, top});
    top = static_cast<uint32_t>(entries_.size()) - 1;
    ++pushes_;
  }

  uint64_t pushes() const { return pushes_; }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  struct Entry {
    Reg variable;
    Operand value;
    uint32_t below;
  };

  const Function& function_;
  NameStacks discipline_;
  std::vector<uint32_t> top_;  // by variable
  std::vector<Entry> entries_;
  std::vector<uint32_t> block_starts_;  // of the open blocks
  uint64_t pushes_ = 0;
};

}  // namespace psi::ssa
