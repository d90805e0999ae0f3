// The dependence height of a block: see psi/psi_transforms/speculate.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/ir/views.h"
#include "psi/pass/analyses.h"

namespace psi::psi_transforms {

class Height {
 public:
  // Sees current guards and operands; instructions must not be added, removed or moved.
  Height(const Function& function, const Uses& uses)
      : function_(function), uses_(uses), finish_(function.num_insts()), tail_(function.num_insts()) {}

  // Linear in the size of the block.
  uint32_t of(BlockId b);

  // After of(b), for an instruction in it that is not a psi. Is it on a longest chain only because of its
  // guard? Once find_tails(b) has been called.
  void find_tails(BlockId b);
  bool waits_for_guard(InstId id, uint32_t height) const;

 private:
  // Calls visit(InstId, steps) for each instruction of the block that this one waits for; returns the steps
  // that it takes at least.
  template <class Visit>
  uint32_t for_each_source(InstId id, Visit visit) const {
    const Inst& inst = function_.inst(id);
    if (inst.is_phi()) return 0;
    BlockId block = uses_.block(id);
    auto wait = [&](Reg r, uint32_t steps) {
      InstId source = uses_.definition(r);
      if (source && uses_.block(source) == block) visit(source, steps);
    };
    if (inst.is_psi()) return for_each_source(psi_arguments(function_, inst), wait);
    if (inst.guard) wait(inst.guard.reg(), 1);
    for (Operand operand : function_.operands(inst)) {
      if (operand.reads_reg()) wait(operand.reg(), 1);
    }
    return 1;
  }

  template <class Wait>
  uint32_t for_each_source(PsiArguments arguments, Wait wait) const {
    uint32_t least = 0;
    bool is_first = true;
    for (auto [guard, value] : arguments) {
      uint32_t steps = !is_first && needs_copy(guard, value) ? 1 : 0;
      if (steps == 1 && guard.reads_reg()) wait(guard.reg(), 1);
      if (value.reads_reg()) wait(value.reg(), steps);
      least = std::max(least, steps);
      is_first = false;
    }
    return least;
  }

  bool needs_copy(Operand guard, Operand value) const;

  const Function& function_;
  const Uses& uses_;
  std::vector<uint32_t> finish_;  // by InstId: when the result is available
  std::vector<uint32_t> tail_;    // by InstId: the time from there to the end of a longest chain
};

}  // namespace psi::psi_transforms
