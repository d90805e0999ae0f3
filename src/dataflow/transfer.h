// What an instruction does to what holds.
#pragma once

#include <span>
#include <vector>

#include "dataflow/flow_items.h"
#include "dataflow/predicate_context.h"
#include "psi/predicate_flow.h"

namespace psi::dataflow {

class Transfer {
 public:
  Transfer(const Function& function, FlowProblem problem, const FlowItems& items)
      : function_(function), problem_(problem), items_(items) {}

  struct Effect {
    Reg ends;  // what is about this register no longer holds; none: `item` holds
    uint32_t item = 0;
    Symbol where;  // never none
  };
  // In the order in which they take place, in the direction of the problem.
  std::span<const Effect> effects(InstId id, PredicateContext& context);
  void apply(std::span<const Effect> effects, const PredicateAlgebra& algebra, FlowState& state);

  // Where an item no longer holds in some executions.
  PredicateExpr without(const PredicateExpr& e, Symbol p, const PredicateAlgebra& algebra) const {
    return is_must(problem_) ? algebra.glb_diff(e, p) : algebra.lub_diff(e, p);
  }

  // Calls visit(BlockId, item) for what phis of a block read, at the end of that predecessor.
  template <class Visit>
  void for_each_phi_read(BlockId b, Visit visit) const {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (!inst.is_phi()) return;
      std::span<const Operand> pairs = function_.operands(inst);
      for (uint32_t i = 0; i + 1 < pairs.size(); i += 2) {
        if (pairs[i + 1].reads_reg()) visit(pairs[i].block(), items_.of_read(id, i + 1, pairs[i + 1].reg()));
      }
    }
  }
  // Do reads make items hold?
  bool is_about_reads() const {
    return is_backward(problem_) || problem_ == FlowProblem::DownwardExposedUses;
  }

 private:
  void add_reads(InstId id, PredicateContext& context);
  void add_ends(PredicateContext& context);
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

}  // namespace psi::dataflow
