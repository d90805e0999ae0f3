// The dependence height of a block: see psi/speculate.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::psis {

class Height {
 public:
  // Sees guards and operands as they are when asked; instructions must not come, go or move.
  Height(const Function& function, const Uses& uses)
      : function_(function), uses_(uses), finish_(function.num_insts()), tail_(function.num_insts()) {}

  // Linear in the size of the block.
  uint32_t of(BlockId b);

  // After of(b), for an instruction in it that is not a psi. Is it on a longest chain, and only because it
  // waits for its guard? Once find_tails(b) has been called.
  void find_tails(BlockId b);
  bool waits_for_guard(InstId id, uint32_t height) const;

 private:
  // Calls visit(InstId, steps) for each instruction in the same block that this one waits for; how many steps
  // it takes in any case.
  template <class Visit>
  uint32_t for_each_source(InstId id, Visit visit) const {
    const Inst& inst = function_.inst(id);
    if (inst.is_phi()) return 0;
    BlockId block = uses_.block(id);
    auto wait = [&](Reg r, uint32_t steps) {
      InstId source = uses_.definition(r);
      if (source && uses_.block(source) == block) visit(source, steps);
    };
    std::span<const Operand> operands = function_.operands(id);
    if (inst.is_psi()) return for_each_source(operands, wait);
    if (inst.guard) wait(inst.guard.reg(), 1);
    for (Operand operand : operands) {
      if (operand.reads_reg()) wait(operand.reg(), 1);
    }
    return 1;
  }

  template <class Wait>
  uint32_t for_each_source(std::span<const Operand> pairs, Wait wait) const {
    uint32_t least = 0;
    for (size_t i = 0; i < pairs.size(); i += 2) {
      uint32_t steps = i > 0 && needs_copy(pairs[i], pairs[i + 1]) ? 1 : 0;
      if (steps == 1 && pairs[i].reads_reg()) wait(pairs[i].reg(), 1);
      if (pairs[i + 1].reads_reg()) wait(pairs[i + 1].reg(), steps);
      least = std::max(least, steps);
    }
    return least;
  }

  bool needs_copy(Operand guard, Operand value) const;

  const Function& function_;
  const Uses& uses_;
  std::vector<uint32_t> finish_;  // by InstId: when the result is there
  std::vector<uint32_t> tail_;    // by InstId: how long it takes from there to the end of a longest chain
};

}  // namespace psi::psis
