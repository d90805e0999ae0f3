// Predicates inside blocks, bit vectors between them. Two passes over a block compute its summary: the items
// that hold at its far end in some execution if none does at its near end (gen), and those that hold in none
// even if all do (kill). Then the classic equations are solved, and a last pass from the solution computes
// the items inside a block, on demand.
//
// Available expressions are a must problem, on every path. Its complement is a may problem, on any path, so
// one solver handles both: bits then mean that an item does not hold in all executions.

#include <bit>

#include "live/flow_engine.h"
#include "psi/predicate/guard_facts.h"
#include "psi/support/bit_matrix.h"

namespace psi::live {
namespace {

// The executions in which a block does not kill, for its registers or, in must problems, its items: all
// others pass in all executions.
class Passing {
 public:
  explicit Passing(uint32_t size) : state_(size), is_touched_(size) {}

  void clear() {
    state_.clear();
    for (uint32_t i : touched_) is_touched_[i] = 0;
    touched_.clear();
  }
  void touch(uint32_t i) {
    if (is_touched_[i]) return;
    is_touched_[i] = 1;
    touched_.push_back(i);
    state_.set(i, PredicateAlgebra::true_expr());
  }
  bool is_touched(uint32_t i) const { return is_touched_[i] != 0; }
  std::span<const uint32_t> touched() const { return touched_; }
  const PredicateExpr& operator[](uint32_t i) const { return state_[i]; }
  void set(uint32_t i, PredicateExpr where) { state_.set(i, std::move(where)); }

 private:
  FlowState state_;
  std::vector<uint8_t> is_touched_;
  std::vector<uint32_t> touched_;
};

class BlockFlow : public FlowEngine {
 public:
  BlockFlow(const Function& function, Analyses& analyses, FlowProblem problem, FlowScope scope)
      : FlowEngine(function, analyses, problem),
        scope_(scope),
        blind_(function),
        entered_(order_.num_reachable(), items_.size()),
        left_(order_.num_reachable(), items_.size()),
        ended_(order_.num_reachable(), items_.size()) {
    if (scope == FlowScope::Local && is_ssa(function.form)) {
      facts_ = &analyses.get<GuardFacts>();
    }
    summarize_all();
    start();
    iterate([&](BlockId b) { return update(b); });
    left_ = ended_ = BitMatrix();
  }

  void enter(BlockId b, FlowState& state) override {
    choose_symbols(b);
    uint32_t row = order_.number(b);
    if (!is_must(problem_)) {
      entered_.for_each_set(row, [&](uint32_t item) { state.set(item, PredicateAlgebra::true_expr()); });
      return;
    }
    std::span<const uint64_t> words = entered_.row(row);
    for (uint32_t i = 0; i < words.size(); ++i) {
      for (uint64_t left = ~words[i]; left != 0; left &= left - 1) {
        uint32_t item = 64 * i + static_cast<uint32_t>(std::countr_zero(left));
        if (item < items_.size()) state.set(item, PredicateAlgebra::true_expr());
      }
    }
  }

  FlowSymbols& symbols() override { return local_ ? *local_ : blind_; }

 private:
  void choose_symbols(BlockId b) {
    local_.reset();
    if (scope_ == FlowScope::Blind || !has_predicates(function_, b)) return;
    if (facts_) {
      local_.emplace(function_, *facts_);
    } else {
      local_.emplace(function_, b);
    }
  }

  // --- Summaries ------------------------------------------------------------------------------------------

  void summarize_all() {
    FlowState held(items_.size());
    Passing passing(is_must(problem_) ? items_.size() : function_.num_regs());
    for (BlockId b : order_.reverse_post_order()) {
      choose_symbols(b);
      held.clear();
      passing.clear();
      for_each_inst(b, [&](InstId id) {
        std::span<const Transfer::Effect> effects = transfer_.effects(id, symbols());
        transfer_.apply(effects, symbols().algebra(), held);
        for (const Transfer::Effect& effect : effects) pass(effect, passing);
      });
      if (is_must(problem_)) {
        note_must(order_.number(b), held, passing);
      } else {
        note_may(order_.number(b), held, passing);
      }
    }
    local_.reset();
  }

  // In may problems all items of a register pass alike, but for those that the block makes hold anyway.
  void pass(const Transfer::Effect& effect, Passing& passing) {
    const PredicateAlgebra& algebra = symbols().algebra();
    auto end = [&](uint32_t i) {
      passing.touch(i);
      if (!passing[i].empty()) passing.set(i, transfer_.without(passing[i], effect.where, algebra));
    };
    if (!is_must(problem_)) {
      if (effect.ends) end(effect.ends.index());
    } else if (effect.ends) {
      for (uint32_t item : items_.about(effect.ends)) end(item);
    } else if (passing.is_touched(effect.item)) {
      passing.set(effect.item, algebra.lub_sum(effect.where, passing[effect.item]));
    }
  }

  void note_may(uint32_t row, const FlowState& held, const Passing& passing) {
    for (const FlowState::Entry& entry : held.entries()) left_.set(row, entry.item);
    for (uint32_t r : passing.touched()) {
      if (!passing[r].empty()) continue;
      for (uint32_t item : items_.about(Reg(r))) ended_.set(row, item);
    }
  }

  // With bits for what does not hold in all executions.
  void note_must(uint32_t row, const FlowState& held, const Passing& passing) {
    for (const FlowState::Entry& entry : held.entries()) {
      if (entry.where == PredicateAlgebra::true_expr()) ended_.set(row, entry.item);
    }
    for (uint32_t item : passing.touched()) {
      bool passes = passing[item] == PredicateAlgebra::true_expr();
      if (!passes && !ended_.test(row, item)) left_.set(row, item);
    }
  }

  // What comes from outside the blocks: parameters, and what phis read between blocks.
  void start() {
    uint32_t entry = order_.number(cfg_.entry());
    if (is_must(problem_)) {
      for (uint32_t item = 0; item < items_.size(); ++item) entered_.set(entry, item);
    } else if (problem_ == FlowProblem::ReachingDefinitions) {
      for (uint32_t item = 0; item < items_.size(); ++item) {
        if (!items_.all()[item].inst) entered_.set(entry, item);
      }
    }
    if (!transfer_.is_about_reads()) return;
    for (BlockId b : order_.reverse_post_order()) {
      transfer_.for_each_phi_read(b, [&](BlockId from, uint32_t item) {
        if (order_.is_reachable(from)) entered_.set(order_.number(is_backward(problem_) ? from : b), item);
      });
    }
  }

  // --- The solver -----------------------------------------------------------------------------------------

  // Has the set at the block's far end grown? The block's own items were in it from the start.
  bool update(BlockId b) {
    uint32_t row = order_.number(b);
    std::span<uint64_t> entered = entered_.row(row), left = left_.row(row);
    std::span<const uint64_t> ended = ended_.row(row);
    for (BlockId from : is_backward(problem_) ? cfg_.successors(b) : cfg_.predecessors(b)) {
      if (!order_.is_reachable(from)) continue;
      std::span<const uint64_t> other = left_.row(order_.number(from));
      for (size_t i = 0; i < entered.size(); ++i) entered[i] |= other[i];
    }
    bool grown = false;
    for (size_t i = 0; i < left.size(); ++i) {
      uint64_t now = left[i] | (entered[i] & ~ended[i]);
      grown |= now != left[i];
      left[i] = now;
    }
    return grown;
  }

  FlowScope scope_;
  FlowSymbols blind_;                 // of blocks without predicates
  GuardFacts* facts_ = nullptr;       // Local, SSA forms: of the whole function
  std::optional<FlowSymbols> local_;  // of the block in hand, if it has any
  BitMatrix entered_, left_, ended_;  // by number in reverse post-order, and item
};

}  // namespace

std::unique_ptr<FlowEngine> make_block_flow(const Function& function, Analyses& analyses, FlowProblem problem,
                                            FlowScope scope) {
  return std::make_unique<BlockFlow>(function, analyses, problem, scope);
}

}  // namespace psi::live
