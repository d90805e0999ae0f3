#include "verify/engine_oracle.h"

#include "psi/analyses.h"
#include "psi/predicate_engine.h"
#include "psi/predicates.h"

namespace psi::verifier {
namespace {

// How many branches above a block, and guards of guards, are looked at.
constexpr int kMaxSteps = 16;

}  // namespace

class EngineOracle::Knowledge {
 public:
  explicit Knowledge(const Function& function)
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

  // Where the guard is true, and defined: it is read nowhere else.
  Term executed(Guard guard) {
    Term term = value(guard);
    for (int i = 0; i < kMaxSteps && guard; ++i) {
      InstId definition = analyses_.uses().definition(guard.reg());
      if (!definition) break;
      guard = function_.inst(definition).guard;
      term = predicates_.terms().both(term, value(guard));
    }
    return term;
  }

  // What the branches above a block have decided when it is reached.
  Term reached(BlockId b) {
    const Dominators& dominators = analyses_.dominators();
    Term term = Term::always();
    for (int i = 0; i < kMaxSteps; ++i) {
      BlockId above = dominators.idom(b);
      if (!above) break;
      if (analyses_.cfg().predecessors(b).size() == 1) term = predicates_.terms().both(term, taken(above, b));
      b = above;
    }
    return term;
  }

  // What the branch from a block to its successor says, as far as it is a simple one.
  Term taken(BlockId from, BlockId to) {
    std::span<const InstId> terminators = function_.terminators(from);
    std::span<const Operand> operands = function_.operands(terminators.back());
    if (terminators.size() != 1 || operands.size() != 3 || function_.inst(terminators[0]).op != Opcode::Br) {
      return Term::always();
    }
    Term condition = predicates_.value(operands[0]);
    return operands[1].block() == to ? condition : !condition;
  }

  const Function& function_;
  Analyses analyses_;
  Predicates predicates_;
  std::unique_ptr<PredicateEngine> engine_;
};

EngineOracle::EngineOracle() = default;
EngineOracle::~EngineOracle() = default;

EngineOracle::Knowledge& EngineOracle::knowledge(const Function& function) const {
  if (!knowledge_) knowledge_ = std::make_unique<Knowledge>(function);
  return *knowledge_;
}

Answer EngineOracle::implies(const Function& function, Guard inner, Guard outer) const {
  Answer by_name = PredicateOracle::implies(function, inner, outer);
  if (by_name == Answer::Yes || !is_ssa(function.form)) return by_name;
  return knowledge(function).implies(inner, outer);
}

Answer EngineOracle::disjoint(const Function& function, Guard a, Guard b) const {
  Answer by_name = PredicateOracle::disjoint(function, a, b);
  if (by_name == Answer::Yes || !is_ssa(function.form)) return by_name;
  return knowledge(function).disjoint(a, b);
}

Answer EngineOracle::within(const Function& function, BlockId where, Guard inner,
                            std::span<const Guard> outer) const {
  for (Guard guard : outer) {
    if (PredicateOracle::implies(function, inner, guard) == Answer::Yes) return Answer::Yes;
  }
  return knowledge(function).within(where, inner, outer);
}

}  // namespace psi::verifier
