// The context's queries about predicates, and its remarks.
#include <algorithm>

#include "psi_transforms/psi_context.h"

namespace psi::psi_transforms {
namespace {

// The most predicates of one term that are considered.
constexpr int kMaxNames = 8;
// Psis of predicates with more arguments stay unchanged.
constexpr size_t kMaxMerged = 64;

}  // namespace

// --- Predicates -----------------------------------------------------------------------------------------

Term PsiContext::term(Operand guard) {
  const Made* known = made(guard);
  if (!known) return facts_.term(guard);
  return guard.is_negated() ? !known->term : known->term;
}

Term PsiContext::domain(Operand value) const {
  const Made* known = made(value);
  return known ? known->domain : facts_.domain(value);
}

Term PsiContext::united(std::span<const Argument> arguments) {
  Term all = Term::never();
  for (const Argument& argument : arguments.first(std::min(arguments.size(), kMaxNeighbours))) {
    all = either(all, argument.term);
  }
  return all;
}

bool PsiContext::is_defined(Operand guard, InstId psi, std::span<const Argument> later) const {
  if (!guard.reads_reg()) return true;
  if (!made(guard) && defined_.at(guard.reg(), {uses_.block(psi), calls_[psi.index()]})) return true;
  size_t count = std::min(later.size(), kMaxNamesCompared);
  return std::ranges::any_of(later.first(count), [&](const Argument& argument) {
    return argument.guard.reads_reg() && argument.guard.reg() == guard.reg();
  });
}

void PsiContext::add_name(Term term, Operand guard) {
  uint32_t& first = first_name_[term.raw()];
  names_.push_back({guard, first});
  first = static_cast<uint32_t>(names_.size()) - 1;
}

void PsiContext::find_names() {
  has_names_ = true;
  auto add = [&](Reg r) {
    if (function_.type(r) != Type::i1) return;
    Term known = term(Operand::reg(r));
    add_name(known, Operand::reg(r));
    add_name(!known, Operand::not_reg(r));
  };
  for (Reg param : function_.params) add(param);
  for (BlockId b : blocks()) {
    for (InstId id : function_.insts(b)) {
      for (Reg result : function_.inst(id).results) {
        if (result) add(result);
      }
    }
  }
}

std::optional<Operand> PsiContext::name(Term term, InstId psi, std::span<const Argument> later) {
  if (term == Term::always()) return Operand::always();
  if (!has_names_) find_names();
  auto first = first_name_.find(term.raw());
  if (first == first_name_.end()) return std::nullopt;
  uint32_t at = first->second;
  for (int tries = 0; tries < kMaxNames && at != 0; ++tries, at = names_[at].next) {
    Operand guard = names_[at].guard;
    if (is_available(guard, psi) && is_defined(guard, psi, later)) return guard;
  }
  return std::nullopt;
}

Argument PsiContext::conjunction(const Argument& a, const Argument& b, bool may_read_b, bool may_be_hidden,
                                 InstId psi, std::span<const Argument> later) {
  if (contains(b.term, a.term)) return {a.guard, b.value, a.term};
  bool is_within =
      contains(a.term, b.term) || (may_be_hidden && contains(either(a.term, united(later)), b.term));
  if (is_within && (may_read_b || is_defined(b.guard, psi, later))) return b;
  Term term = both(a.term, b.term);
  return {name(term, psi, later).value_or(Operand()), b.value, term};
}

Term PsiContext::merged(std::span<const Argument> arguments) {
  Term result = term(arguments[0].value);
  for (const Argument& argument : arguments.subspan(1)) {
    result = facts_.predicates().terms().choose(argument.term, term(argument.value), result);
  }
  return result;
}

bool PsiContext::keeps_term(InstId psi, std::span<const Argument> before, std::span<const Argument> after) {
  if (function_.inst(psi).type != Type::i1) return true;
  if (before.size() > kMaxMerged || after.size() > kMaxMerged) return false;
  Term old = merged(before), now = merged(after);
  return contains(old, now) && contains(now, old);
}

// --- Reports --------------------------------------------------------------------------------------------

std::string PsiContext::text(Operand operand) const {
  return operand == Operand::always() ? "true" : print(module_, function_, operand);
}

std::string PsiContext::example(const PredicateQuestion& question) {
  if (!words_) {
    words_ = std::make_unique<PredicateText>(module_, function_, facts_.predicates());
    witness_engine_ = make_predicate_engine(PredicateEngineKind::Auto, facts_.predicates().terms());
  }
  PredicateExplanation explanation = witness_engine_->explain(question);
  if (explanation.answer != Answer::No || explanation.witness.empty()) return {};
  return ", as when " + words_->witness(explanation.witness);
}

std::string PsiContext::when_both(Term a, Term b) {
  return example({PredicateQuestion::Kind::Disjoint, a, b});
}

std::string PsiContext::when_outside(Term inner, Term outer) {
  return example({PredicateQuestion::Kind::Subset, inner, outer});
}

}  // namespace psi::psi_transforms
