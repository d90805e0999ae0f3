#include "verify/engine_oracle.h"

#include <algorithm>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/engine.h"
#include "psi/predicate/predicates.h"

namespace psi::verify {
namespace {

// The most branches above a block, and guards of guards, that are considered.
constexpr int kMaxSteps = 64;
// The most paths to a block that are considered.
constexpr size_t kMaxPredecessors = 32;

}  // namespace

class EngineOracle::Facts {
 public:
  explicit Facts(const Function& function)
      : function_(function),
        analyses_(function),
        predicates_(function, analyses_),
        engine_(make_predicate_engine(PredicateEngineKind::Auto, predicates_.terms())) {}

  Answer implies(Guard inner, Guard outer) { return engine_->subset(executed(inner), value(outer)); }
  Answer disjoint(Guard a, Guard b) { return engine_->disjoint(executed(a), executed(b)); }
  Answer within(BlockId where, Guard inner, std::span<const Guard> outer) {
    Term any = Term::never();
    for (Guard guard : outer) any = predicates_.terms().either(any, value(guard));
    return engine_->subset(predicates_.terms().both(executed(inner), reached(where)), any);
  }

 private:
  Term value(Guard guard) { return predicates_.value(guard.as_operand()); }

  // The executions in which the guard is true and defined: it is read nowhere else.
  Term executed(Guard guard) {
    Term term = value(guard);
    for (int i = 0; i < kMaxSteps && guard; ++i) {
      InstId definition = analyses_.get<Uses>().definition(guard.reg());
      if (!definition) break;
      guard = function_.inst(definition).guard;
      term = predicates_.terms().both(term, value(guard));
    }
    return term;
  }

  // The decisions of the branches above a block when it is reached.
  Term reached(BlockId b) {
    if (decisions_.empty()) find_decisions();
    return since(BlockId(), b);
  }
  // The same for branches below a block that dominates it.
  Term since(BlockId above, BlockId b) {
    Term term = Term::always();
    for (int i = 0; i < kMaxSteps && b && b != above; ++i) {
      term = predicates_.terms().both(term, decisions_[b.index()]);
      b = analyses_.get<Dominators>().idom(b);
    }
    return term;
  }

  void find_decisions() {
    decisions_.resize(function_.num_blocks(), Term::always());
    for (BlockId b : analyses_.get<Order>().reverse_post_order()) {
      BlockId above = analyses_.get<Dominators>().idom(b);
      if (above) decisions_[b.index()] = predicates_.terms().both(decisions(above, b), goes_on(above));
    }
  }

  // The decisions between a block and its immediate dominator, over all paths except those back from the
  // block itself, which decide nothing new. Nothing is known of later blocks on these paths, in a loop with
  // several entries.
  Term decisions(BlockId above, BlockId b) {
    std::span<const BlockId> predecessors = analyses_.get<Cfg>().predecessors(b);
    if (predecessors.size() > kMaxPredecessors) return Term::always();
    Term any = Term::never();
    for (BlockId p : predecessors) {
      if (analyses_.get<Dominators>().dominates(b, p)) continue;
      any = predicates_.terms().either(any, predicates_.terms().both(taken(p, b), since(above, p)));
    }
    return any;
  }

  // The decisions of its terminators where control does not go back to the block itself or to a dominator of
  // it: from there control passes this block again before any block that this one dominates.
  Term goes_on(BlockId b) {
    PredicateTerms& terms = predicates_.terms();
    std::span<const BlockId> successors = analyses_.get<Cfg>().successors(b);
    Term term = Term::always();
    for (BlockId to : successors) {
      if (!analyses_.get<Dominators>().dominates(to, b) || std::ranges::count(successors, to) != 1) continue;
      if (is_decided_by_branch(b, to)) term = terms.both(term, !taken(b, to));
    }
    return term;
  }

  // Does `taken` hold the whole decision?
  bool is_decided_by_branch(BlockId from, BlockId to) {
    return std::ranges::any_of(function_.terminators(from), [&](InstId id) {
      bool leads_there = false;
      function_.for_each_target(function_.inst(id), [&](BlockId target) { leads_there |= target == to; });
      return leads_there && function_.inst(id).op == Opcode::Br;
    });
  }

  // The decisions of a block's terminators where one of them leads to the successor: the earlier ones were
  // not executed.
  Term taken(BlockId from, BlockId to) {
    PredicateTerms& terms = predicates_.terms();
    if (std::ranges::count(analyses_.get<Cfg>().successors(from), to) != 1) return Term::always();
    Term term = Term::always();
    for (InstId id : function_.terminators(from)) {
      const Inst& inst = function_.inst(id);
      Term executed = value(inst.guard);
      bool leads_there = false;
      function_.for_each_target(inst, [&](BlockId target) { leads_there |= target == to; });
      if (!leads_there) {
        term = terms.both(term, !executed);
        continue;
      }
      term = terms.both(term, executed);
      if (inst.is_branch()) {
        BranchView branch = as_branch(function_, inst);
        Term condition = predicates_.value(branch.condition);
        term = terms.both(term, branch.then == to ? condition : !condition);
      }
      break;
    }
    return term;
  }

  const Function& function_;
  Analyses analyses_;
  Predicates predicates_;
  std::unique_ptr<PredicateEngine> engine_;
  std::vector<Term> decisions_;  // by BlockId, on demand: the decisions below the immediate dominator
};

EngineOracle::EngineOracle() = default;
EngineOracle::~EngineOracle() = default;

EngineOracle::Facts& EngineOracle::facts(const Function& function) const {
  if (!facts_) facts_ = std::make_unique<Facts>(function);
  return *facts_;
}

Answer EngineOracle::implies(const Function& function, Guard inner, Guard outer) const {
  Answer by_name = PredicateOracle::implies(function, inner, outer);
  if (by_name == Answer::Yes || !is_ssa(function.form)) return by_name;
  return facts(function).implies(inner, outer);
}

Answer EngineOracle::disjoint(const Function& function, Guard a, Guard b) const {
  Answer by_name = PredicateOracle::disjoint(function, a, b);
  if (by_name == Answer::Yes || !is_ssa(function.form)) return by_name;
  return facts(function).disjoint(a, b);
}

Answer EngineOracle::within(const Function& function, BlockId where, Guard inner,
                            std::span<const Guard> outer) const {
  for (Guard guard : outer) {
    if (PredicateOracle::implies(function, inner, guard) == Answer::Yes) return Answer::Yes;
  }
  return facts(function).within(where, inner, outer);
}

}  // namespace psi::verify
