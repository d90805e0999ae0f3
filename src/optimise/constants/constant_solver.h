// Constant registers and executable edges, by mutual optimistic iteration.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "optimise/constants/constants.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/ir/module.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

// Wegman and Zadeck 1991. Initially all values are undef and no edge is executable; instructions are
// evaluated when their block is first reached, and again when an operand falls. Values fall at most twice, so
// the work is linear in the uses, except for the queue: blocks and phis wait in reverse post-order, so that a
// phi is evaluated once its predecessors are settled, not at every change. Definitions are evaluated before
// their readers, so uses are needed only where a value falls again.
class ConstantSolver {
 public:
  // Every block must be reachable; SSA form.
  ConstantSolver(const Module& module, const Function& function, Analyses& analyses);
  void run();

  // The value, in executions that reach its definition and in which its guard is true.
  Constant value(Operand operand) const;
  bool is_executable(BlockId b) const { return is_executable_[b.index()] != 0; }
  bool is_executable(Edge edge) const { return is_taken_[cfg_.number(edge)] != 0; }

 private:
  void settle();
  void enter(BlockId b);
  void visit(InstId id);
  void visit_phi(BlockId b, InstId id);
  void visit_terminators(BlockId b);
  bool take_terminator(InstId id, Edge first);
  void take(Edge edge);
  void fall(Reg r, Constant to);
  void spread();
  void queue(BlockId b, uint64_t what) { queue_.push(uint64_t{order_.number(b)} << 32 | what); }

  const Function& function_;
  Analyses& analyses_;
  const Cfg& cfg_;
  const Order& order_;
  ConstantEvaluation evaluation_;
  std::vector<Constant> values_;        // by Reg
  std::vector<uint8_t> is_executable_;  // by BlockId
  std::vector<uint8_t> is_taken_;       // by edge
  std::vector<uint8_t> is_seen_;        // by InstId: looked at before
  std::vector<uint8_t> is_queued_;      // by InstId: a phi that waits
  std::vector<uint32_t> reached_from_;  // by BlockId: the phi visit that last saw an edge from it
  uint32_t phi_visits_ = 0;
  std::vector<Reg> fallen_;
  std::vector<InstId> freezes_;
  std::vector<Constant> operands_;
  // Blocks to enter (0 below) and phis to look at (their number, and one).
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> queue_;
};

}  // namespace psi::optimise
