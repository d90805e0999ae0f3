// What each block does with the variables of a function in plain form: all that placing phis needs to know.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analyses.h"

namespace psi::ssa {

// A variable is a register of the plain form. Unreachable blocks are left out. Linear.
class Variables {
 public:
  Variables(const Function& function, const Dominators& dominators);

  uint32_t size() const { return static_cast<uint32_t>(is_nonlocal_.size()); }
  // The variables that b defines, guarded or not, each once. Parameters are defined in the entry block.
  std::span<const Reg> defined_in(BlockId b) const { return of_block(defined_, b); }
  // The variables that b reads before it defines them, each once. A guarded definition reads: where the guard
  // is false the old value is the new one. So does a partial target of cmpp.
  std::span<const Reg> exposed_in(BlockId b) const { return of_block(exposed_, b); }
  // Does any block read it before defining it? (The non-local names of Briggs et al., figure 4.)
  bool is_nonlocal(Reg variable) const { return is_nonlocal_[variable.index()]; }
  // The blocks that define a variable in preorder of the dominator tree, without the entry block, whose
  // dominance frontier is empty.
  std::span<const BlockId> definitions(Reg variable) const { return of_variable(definitions_, variable); }
  // Likewise the blocks that read it before they define it.
  std::span<const BlockId> exposures(Reg variable) const { return of_variable(exposures_, variable); }

 private:
  struct ByBlock {
    std::vector<uint32_t> start;  // by preorder number, and one more
    std::vector<Reg> variables;
  };

  std::span<const Reg> of_block(const ByBlock& lists, BlockId b) const {
    uint32_t n = dominators_.pre_number(b);
    return std::span(lists.variables).subspan(lists.start[n], lists.start[n + 1] - lists.start[n]);
  }
  struct ByVariable {
    std::vector<uint32_t> start;  // by Reg, and one more
    std::vector<BlockId> blocks;
  };

  static std::span<const BlockId> of_variable(const ByVariable& lists, Reg variable) {
    uint32_t first = lists.start[variable.index()];
    return std::span(lists.blocks).subspan(first, lists.start[variable.index() + 1] - first);
  }
  void scan_block(const Function& function, BlockId b);
  ByVariable turn(const ByBlock& lists) const;

  const Dominators& dominators_;
  ByBlock defined_;
  ByBlock exposed_;
  ByVariable definitions_;
  ByVariable exposures_;
  std::vector<bool> is_nonlocal_;  // by Reg

  // While scanning, by Reg: the last block that defined it, and that read it first.
  std::vector<BlockId> last_defined_;
  std::vector<BlockId> last_exposed_;
};

}  // namespace psi::ssa
