#include "psi/predicate/guard_facts.h"

#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

uint64_t pair_of(Term a, Term b) { return uint64_t{a.raw()} << 32 | b.raw(); }

}  // namespace

bool has_guards(const Function& function) {
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (inst.guard || inst.is_psi() || inst.op == Opcode::Cmpp) return true;
    }
  }
  return false;
}

GuardFacts::GuardFacts(const Function& function, Analyses& analyses)
    : function_(function), analyses_(&analyses), any_(has_guards(function)) {
  if (!any_) return;
  analyse();
  domains_.resize(function.num_regs(), Term::always());
  for (BlockId b : analyses.get<Dominators>().preorder()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      if (!inst.guard && !inst.is_psi()) continue;
      Term domain = inst.is_psi() ? psi_domain(id) : predicates_->guard(id);
      for (Reg result : inst.results) {
        if (result) domains_[result.index()] = domain;
      }
    }
  }
}

GuardFacts::GuardFacts(const Function& function, BlockId block)
    : function_(function), any_(true), predicates_(std::in_place, function, block) {}

GuardFacts::GuardFacts(const Function& function, Analyses& analyses, ByName)
    : function_(function), analyses_(&analyses), any_(has_guards(function)), names_(std::in_place) {}

void GuardFacts::analyse() { predicates_.emplace(function_, *analyses_); }

Term GuardFacts::named(Operand predicate) {
  if (predicate.is_literal()) return function_.literal_bits(predicate) ? Term::always() : Term::never();
  if (predicate.is_undef()) return Term::never();  // it may be anything
  Term bit = names_->bit(predicate.reg().index());
  return predicate.is_negated() ? !bit : bit;
}

Term GuardFacts::psi_domain(InstId psi) {
  Term domain = Term::never();
  for (auto [guard, value] : psi_arguments(function_, psi)) {
    domain = either(domain, both(term(guard), this->domain(value)));
  }
  return domain;
}

bool GuardFacts::contains(Term outer, Term inner) {
  if (outer == inner || outer == Term::always() || inner == Term::never()) return true;
  // Only a union can be always true.
  bool is_union = outer.is_negated() && terms().kind(outer) == PredicateTerms::Kind::Both;
  if (inner == Term::always() && !is_union) return false;
  auto [at, is_new] = subset_.try_emplace(pair_of(outer, inner), false);
  if (is_new) at->second = engine().subset(inner, outer) == Answer::Yes;
  return at->second;
}

bool GuardFacts::excludes(Term a, Term b) {
  if (a == !b || a == Term::never() || b == Term::never()) return true;
  if (a == b || a == Term::always() || b == Term::always()) return false;
  auto [at, is_new] = disjoint_.try_emplace(pair_of(a, b), false);
  if (is_new) at->second = engine().disjoint(a, b) == Answer::Yes;
  return at->second;
}

}  // namespace psi
