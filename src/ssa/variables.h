// The definitions and reads of variables in each block of a function in plain form, as phi placement needs
// them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/pass/analyses.h"

namespace psi::ssa {

// A variable is a register of the plain form. Unreachable blocks are left out. Linear.
class Variables {
 public:
  enum Which : uint8_t {
    All,
    NonLocal,  // the lists have only these
  };
  Variables(const Function& function, const Dominators& dominators, Which which,
            std::pmr::memory_resource& memory);

  uint32_t size() const { return static_cast<uint32_t>(seen_.size()); }
  // The variables in the lists, in order.
  std::span<const Reg> listed() const { return listed_; }
  bool is_listed(Reg variable) const { return position_[variable.index()] != kNotListed; }
  // The variables that b defines, guarded or not, each once. Parameters are defined in the entry block.
  std::span<const Reg> defined_in(BlockId b) const { return of_block(defined_, b); }
  // The variables that b reads before it defines them, each once. A guarded definition reads: where the guard
  // is false the old value is the new one. So does a partial target of cmpp.
  std::span<const Reg> exposed_in(BlockId b) const { return of_block(exposed_, b); }
  // Does any block read it before defining it? (The non-local names of Briggs et al., figure 4.)
  bool is_nonlocal(Reg variable) const { return static_cast<bool>(seen_[variable.index()].exposed); }
  // The blocks that define a variable in preorder of the dominator tree, without the entry block, whose
  // dominance frontier is empty.
  std::span<const BlockId> definitions(Reg variable) const { return of_variable(definitions_, variable); }
  // Likewise the blocks that read it before they define it.
  std::span<const BlockId> exposures(Reg variable) const { return of_variable(exposures_, variable); }

 private:
  struct ByBlock {
    std::pmr::vector<uint32_t> start;  // by preorder number, and one more
    std::pmr::vector<Reg> variables;
  };
  struct ByVariable {
    std::pmr::vector<uint32_t> start;  // by position in listed_, and one more
    std::pmr::vector<BlockId> blocks;
  };
  // The last block, in preorder, that defined the variable, and that read it first.
  struct Seen {
    BlockId defined;
    BlockId exposed;
  };

  std::span<const Reg> of_block(const ByBlock& lists, BlockId b) const {
    uint32_t n = dominators_.pre_number(b);
    return std::span(lists.variables).subspan(lists.start[n], lists.start[n + 1] - lists.start[n]);
  }
  std::span<const BlockId> of_variable(const ByVariable& lists, Reg variable) const {
    uint32_t position = position_[variable.index()];
    if (position == kNotListed) return {};
    uint32_t first = lists.start[position];
    return std::span(lists.blocks).subspan(first, lists.start[position + 1] - first);
  }
  void scan_block(const Function& function, BlockId b);
  void list_variables(Which which);
  void drop_unlisted_definitions();
  void turn(const ByBlock& lists, ByVariable& result) const;

  static constexpr uint32_t kNotListed = UINT32_MAX;

  const Dominators& dominators_;
  ByBlock defined_;
  ByBlock exposed_;
  ByVariable definitions_;
  ByVariable exposures_;
  std::pmr::vector<Seen> seen_;  // by Reg
  std::pmr::vector<Reg> listed_;
  std::pmr::vector<uint32_t> position_;  // by Reg: in listed_
};

}  // namespace psi::ssa
