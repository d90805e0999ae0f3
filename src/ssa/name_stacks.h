// The current value of every variable along one path of the dominator tree.
//
// A stack for each variable. Tops are stored separately; all other entries are in one array, in which the
// entries of a block are adjacent, so that leaving the block pops them together (Briggs et al. 1998, figure
// 7).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "psi/ssa/construct.h"
#include "ssa/variables.h"

namespace psi::ssa {

class Stacks {
 public:
  Stacks(const Function& function, const Variables& variables, NameStacks discipline,
         std::pmr::memory_resource& memory)
      : function_(function),
        top_(variables.size(), &memory),
        pushed_in_(variables.size(), &memory),
        below_(&memory),
        block_starts_(&memory),
        is_read_(variables.size(), &memory) {
    if (discipline == NameStacks::PushEvery) {
      pushed_in_.assign(variables.size(), kNoBlock);
      push_every_ = true;
      return;
    }
    for (uint32_t i = 0; i < variables.size(); ++i) {
      pushed_in_[i] = variables.is_listed(Reg(i)) ? kNoBlock : kEveryBlock;
    }
  }

  void enter_block() {
    block_starts_.push_back(static_cast<uint32_t>(below_.size()));
    ++block_;
  }
  void leave_block() {
    for (; below_.size() > block_starts_.back(); below_.pop_back()) {
      top_[below_.back().variable.index()] = below_.back().value;
    }
    block_starts_.pop_back();
  }

  Operand read(Reg variable) const {
    Operand value = top_[variable.index()];
    return value.is_none() ? Operand::undef(function_.type(variable)) : value;
  }

  void write(Reg variable, Operand value) {
    Operand& top = top_[variable.index()];
    uint32_t& pushed_in = pushed_in_[variable.index()];
    if (pushed_in < block_ || push_every_) {
      below_.push_back({variable, top});
      pushed_in = block_;
      ++pushes_;
    }
    top = value;
  }

  // Before unreachable blocks: no variable has a value, and each may be read anywhere.
  void forget_all() {
    top_.assign(top_.size(), Operand());
    pushed_in_.assign(pushed_in_.size(), kNoBlock);
  }

  // Called for the operands of kept instructions.
  void use(Operand value) {
    if (value.reads_reg() && value.reg().index() < is_read_.size()) is_read_[value.reg().index()] = true;
  }
  // Tracks the reads of this register, which has none yet.
  void watch(Reg name) {
    if (name.index() >= is_read_.size()) is_read_.resize(name.index() + 1);
  }
  bool is_read(Reg name) const { return is_read_[name.index()]; }

  uint64_t pushes() const { return pushes_; }

 private:
  struct Entry {
    Reg variable;
    Operand value;
  };

  static constexpr uint32_t kNoBlock = 0;
  // A variable that no block or phi reads from another block needs no stack.
  static constexpr uint32_t kEveryBlock = UINT32_MAX;

  const Function& function_;
  bool push_every_ = false;
  std::pmr::vector<Operand> top_;         // by variable; none: it has no value
  std::pmr::vector<uint32_t> pushed_in_;  // by variable: the last block that pushed it, by its number
  std::pmr::vector<Entry> below_;
  std::pmr::vector<uint32_t> block_starts_;  // of the open blocks
  uint32_t block_ = 0;                       // how many were entered
  std::pmr::vector<uint8_t> is_read_;        // by Reg; those beyond are not watched
  uint64_t pushes_ = 0;
};

}  // namespace psi::ssa
