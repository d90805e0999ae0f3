// Predicate-aware data flow (Johnson and Schlansker 1996, section 6): the classic bit-vector problems, with a
// set of executions in place of each bit. A register is not just live at a point, but live in the executions
// that will read it.
//
//   %q ? %m = ...       m is live in Q from here on, n nowhere
//   %p ? %n = ...       n is live in P; P and Q are disjoint, so m and n can share a register
//   %q ? store %m
//   %p ? store %n
//
// An instruction reads its operands where its guard holds, and the guard itself always; a psi reads the
// argument that it takes, a phi its arguments at the end of their predecessors. In plain and allocated form a
// register keeps its contents where a definition does not write it; in SSA forms a definition kills the old
// value in all executions. Nothing holds in unreachable blocks.
//
// Undefined comparisons are treated as true or false: a parallel-or or -and target counts as written or not,
// as if the compared values were defined.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/algebra.h"
#include "psi/predicate/predicates.h"

namespace psi {

enum class FlowProblem : uint8_t {
  Liveness,              // registers that may be read later
  ReachingDefinitions,   // definitions whose value may still be in the register
  UpwardExposedUses,     // uses that may come before the next definition of their register
  DownwardExposedUses,   // uses that may have come after the last one
  AvailableExpressions,  // expressions that were computed and still have the same value
};

constexpr bool is_backward(FlowProblem problem) {
  return problem == FlowProblem::Liveness || problem == FlowProblem::UpwardExposedUses;
}
// Must hold rather than may hold: expressions are too small where they are not exact, not too large.
constexpr bool is_must(FlowProblem problem) { return problem == FlowProblem::AvailableExpressions; }

// Where predicates count.
enum class FlowScope : uint8_t {
  Blind,   // nowhere: all executions or none
  Local,   // within blocks; between them, all executions or none
  Global,  // everywhere; SSA forms only
};

// An item of a problem.
struct FlowItem {
  Reg reg;             // that is live, defined or used
  InstId inst;         // that defines or uses it, or computes the expression; none: a parameter
  uint32_t index = 0;  // which of its results, or of its operands (Use::kGuard: its guard)
};

// The items that hold at a point, with their executions. Items that hold in no execution are left out.
class FlowState {
 public:
  struct Entry {
    uint32_t item;
    PredicateExpr where;
  };

  explicit FlowState(uint32_t num_items = 0) : place_(num_items, kAbsent) {}

  // In no particular order.
  std::span<const Entry> entries() const { return entries_; }
  bool contains(uint32_t item) const { return place_[item] != kAbsent; }
  const PredicateExpr& operator[](uint32_t item) const {
    static const PredicateExpr never;
    return contains(item) ? entries_[place_[item]].where : never;
  }
  void set(uint32_t item, PredicateExpr where);
  void clear();

 private:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  std::vector<uint32_t> place_;  // by item: in entries_
  std::vector<Entry> entries_;
};

namespace live {
class FlowEngine;
}

class PredicateFlow {
 public:
  // Solves the problem; refers to the function afterwards.
  //
  // Blind and Local: near-linear time for blocks, and bit vectors between them: three bits for each pair of
  // a reachable block and an item while solving, then one. Global: keeps an expression for each pair of a
  // block and an item that holds there.
  PredicateFlow(const Function& function, Analyses& analyses, FlowProblem problem, FlowScope scope);
  ~PredicateFlow();
  PredicateFlow(PredicateFlow&&) noexcept;
  PredicateFlow& operator=(PredicateFlow&&) noexcept;

  // Those of one register are adjacent, in the order of registers; for liveness, items are registers.
  // Expressions are in the order of their first instruction, which stands for them.
  std::span<const FlowItem> items() const;

  // Moves to the start of a block, or for backward problems to its end. There phis of successors have read
  // their arguments, and phis of the block are not yet executed.
  void enter(BlockId b);
  // Moves past one instruction, in the direction of the problem. False at the end of the block.
  bool advance();
  // The number of instructions of the block before this point.
  uint32_t position() const { return position_; }
  const FlowState& state() const { return state_; }

  // The graph of the expressions' symbols, valid until another block is entered.
  PartitionGraph& graph();
  const PredicateAlgebra& algebra();
  // A set that includes the executions in which an instruction of the block writes its result; none: it never
  // does.
  Symbol written(InstId id, uint32_t target);
  // The symbol of a term of the block, or a set that includes it.
  Symbol at_most(Term term);
  // The predicates of the terms; null for a block without predicates or an unreachable one.
  Predicates* predicates();

 private:
  const Function* function_;
  bool backward_;
  std::unique_ptr<live::FlowEngine> engine_;
  FlowState state_;
  BlockId block_;
  uint32_t position_ = 0;
};

}  // namespace psi
