// The transfer functions of instructions.
#pragma once

#include <span>
#include <vector>

#include "live/flow_items.h"
#include "live/flow_symbols.h"
#include "psi/ir/views.h"
#include "psi/live/predicate_flow.h"

namespace psi::live {

class Transfer {
 public:
  Transfer(const Function& function, FlowProblem problem, const FlowItems& items)
      : function_(function), problem_(problem), items_(items) {}

  struct Effect {
    Reg ends;  // items of this register no longer hold; none: `item` holds
    uint32_t item = 0;
    Symbol where;  // never none
  };
  // In the order in which they take place, in the direction of the problem.
  std::span<const Effect> effects(InstId id, FlowSymbols& symbols);
  void apply(std::span<const Effect> effects, const PredicateAlgebra& algebra, FlowState& state);

  // The expression of an item that no longer holds in some executions.
  PredicateExpr without(const PredicateExpr& e, Symbol p, const PredicateAlgebra& algebra) const {
    return is_must(problem_) ? algebra.glb_diff(e, p) : algebra.lub_diff(e, p);
  }

  // Calls visit(BlockId, item) for the reads of a block's phis, at the end of that predecessor.
  template <class Visit>
  void for_each_phi_read(BlockId b, Visit visit) const {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (!inst.is_phi()) return;
      PhiEntries entries = phi_entries(function_, inst);
      for (size_t i = 0; i < entries.size(); ++i) {
        auto [from, value] = entries[i];
        if (value.reads_reg()) visit(from, items_.of_read(id, value_operand(i), value.reg()));
      }
    }
  }
  // Do reads make items hold?
  bool is_about_reads() const {
    return is_backward(problem_) || problem_ == FlowProblem::DownwardExposedUses;
  }

 private:
  void add_reads(InstId id, FlowSymbols& symbols);
  void add_ends(FlowSymbols& symbols);
  void hold(uint32_t item, Symbol where) {
    if (where) effects_.push_back({Reg(), item, where});
  }
  void end(Reg r, Symbol where) {
    if (where) effects_.push_back({r, 0, where});
  }

  const Function& function_;
  FlowProblem problem_;
  const FlowItems& items_;
  std::vector<Effect> effects_;
  std::vector<uint32_t> ended_;
};

}  // namespace psi::live
