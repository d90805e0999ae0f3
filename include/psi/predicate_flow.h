// Predicate-sensitive data flow (Johnson and Schlansker 1996, section 6): the classic problems of bit
// vectors, with a set of executions where they have a bit. A register is not just live at a point, but live
// in those executions that will read it.
//
//   %q ? %m = ...       m is live in Q from here on, n nowhere
//   %p ? %n = ...       n is live in P; P and Q are disjoint, so m and n can share a register
//   %q ? store %m
//   %p ? store %n
//
// An instruction reads its operands where its guard holds, and the guard itself always; a psi reads the
// argument that it takes, a phi its arguments at the end of their predecessors. In plain and allocated form a
// register keeps its contents where a definition does not write it; in SSA forms a definition ends what was
// there before in all executions. Nothing holds in unreachable blocks.
//
// That a comparison of undefined values may neither hold nor fail is not considered: a parallel-or or -and
// target counts as written or not, as if the values were some values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"
#include "psi/predicate_algebra.h"
#include "psi/predicates.h"

namespace psi {

enum class FlowProblem : uint8_t {
  Liveness,              // registers whose contents may be read later
  ReachingDefinitions,   // definitions whose value may still be there
  UpwardExposedUses,     // uses that may come before the next definition of their register
  DownwardExposedUses,   // uses that may have come after the last one
  AvailableExpressions,  // expressions that were computed, and would surely have the same value again
};

constexpr bool is_backward(FlowProblem problem) {
  return problem == FlowProblem::Liveness || problem == FlowProblem::UpwardExposedUses;
}
// Must hold rather than may hold: expressions are too small where they are not exact, not too large.
constexpr bool is_must(FlowProblem problem) { return problem == FlowProblem::AvailableExpressions; }

// How far predicates are looked at.
enum class FlowScope : uint8_t {
  Blind,   // not at all: all executions or none
  Local,   // in blocks; between them, all executions or none
  Global,  // everywhere; SSA forms only
};

// What a problem is about.
struct FlowItem {
  Reg reg;             // that is live, defined or used
  InstId inst;         // that defines or uses it, or computes the expression; none: a parameter
  uint32_t index = 0;  // which of its results, or of its operands (Use::kGuard: its guard)
};

// What holds at a point, and in which executions. Items that hold in none are not in it.
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

namespace dataflow {
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

  // Those of one register stand together, in the order of registers; liveness: items are registers.
  // Expressions: in the order in which they are first met, each with the first instruction that computes it.
  std::span<const FlowItem> items() const;

  // Goes to where a block starts, or for backward problems to where it ends. Phis of successors have read
  // their arguments there, and phis of the block are not yet executed.
  void enter(BlockId b);
  // Goes over one instruction, in the direction of the problem. False if there is none left.
  bool advance();
  // How many instructions of the block come before this point.
  uint32_t position() const { return position_; }
  const FlowState& state() const { return state_; }

  // What the expressions speak of, until another block is entered.
  PartitionGraph& graph();
  const PredicateAlgebra& algebra();
  // A set that includes the executions in which an instruction of the block gives a value to its result;
  // none: there are none.
  Symbol written(InstId id, uint32_t target);
  // The symbol of a term of the block, or a set that includes it.
  Symbol at_most(Term term);
  // The predicates that terms come from; null where the block has none to speak of, or cannot be reached.
  Predicates* predicates();

 private:
  const Function* function_;
  bool backward_;
  std::unique_ptr<dataflow::FlowEngine> engine_;
  FlowState state_;
  BlockId block_;
  uint32_t position_ = 0;
};

}  // namespace psi
