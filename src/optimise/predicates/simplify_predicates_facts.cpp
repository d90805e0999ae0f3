#include "optimise/predicates/simplify_predicates_facts.h"

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

constexpr uint32_t kNoFact = UINT32_MAX;
// The most facts with the same key, parts of a term, and terminators or cases not taken that are considered.
constexpr int kMaxFacts = 8;
constexpr size_t kMaxParts = 8;
constexpr size_t kMaxOthers = 4;
// And no further in a group of terminators.
constexpr size_t kMaxTerminators = 64;

}  // namespace

void PathFacts::enter(BlockId b) {
  while (!scopes_.empty() && !dominators_.dominates(scopes_.back().block, b)) {
    for (size_t i = facts_.size(); i-- > scopes_.back().num_facts;) {
      newest_[facts_[i].key] = facts_[i].previous;
    }
    facts_.resize(scopes_.back().num_facts);
    scopes_.pop_back();
  }
  if (cfg_.predecessors(b).size() != 1) return;
  size_t num_facts = facts_.size();
  add_edge(cfg_.incoming(b, 0));
  if (facts_.size() > num_facts) scopes_.push_back({b, num_facts});
}

void PathFacts::add_edge(Edge edge) {
  uint32_t taken = edge.index;
  size_t others = 0;
  std::span<const InstId> terminators = function_.terminators(edge.from);
  for (InstId id : terminators.first(std::min(terminators.size(), kMaxTerminators))) {
    const Inst& inst = function_.inst(id);
    uint32_t targets = num_targets(inst);
    if (taken >= targets) {
      taken -= targets;
      if (inst.guard && ++others <= kMaxOthers) add(!guards_.term(inst.guard));
      continue;
    }
    if (inst.guard) add(guards_.term(inst.guard));
    if (inst.is_branch()) {
      Term term = guards_.term(as_branch(function_, inst).condition);
      add(taken == 0 ? term : !term);
    } else if (inst.op == Opcode::Switch && decided_by(function_, inst).is_reg()) {
      SwitchView choice = as_switch(function_, inst);
      auto is_case = [&](size_t i) {
        return guards_.predicates().compare(inst.type, Cond::eq, choice.value, choice.cases[i].literal);
      };
      if (taken > 0) return add(is_case(taken - 1));
      for (size_t i = 0; i < choice.cases.size() && i < kMaxOthers; ++i) add(!is_case(i));
    }
    return;
  }
}

void PathFacts::add(Term term) {
  const PredicateTerms& terms = guards_.predicates().terms();
  pending_.assign(1, term);
  for (size_t parts = 0; !pending_.empty() && parts < kMaxParts; ++parts) {
    Term part = pending_.back();
    pending_.pop_back();
    add_single(part);
    if (part.is_negated() || terms.kind(part) != PredicateTerms::Kind::Both) continue;
    pending_.push_back(terms.first(part));
    pending_.push_back(terms.second(part));
  }
}

void PathFacts::add_single(Term term) {
  if (term.is_constant()) return;
  uint32_t key = this->key(term);
  if (key >= newest_.size()) newest_.resize(std::max<size_t>(key + 1, 2 * newest_.size()), kNoFact);
  facts_.push_back({term, key, newest_[key]});
  newest_[key] = static_cast<uint32_t>(facts_.size() - 1);
}

uint32_t PathFacts::key(Term term) const {
  const PredicateTerms& terms = guards_.predicates().terms();
  bool is_condition = terms.kind(term) == PredicateTerms::Kind::Condition;
  return is_condition ? terms.condition(term).left << 1 : term.node() << 1 | 1;
}

std::optional<bool> PathFacts::known_single(Term term) {
  if (term.is_constant()) return term == Term::always();
  uint32_t key = this->key(term);
  if (key >= newest_.size()) return std::nullopt;
  const PredicateTerms& terms = guards_.predicates().terms();
  uint32_t i = newest_[key];
  for (int looked_at = 0; i != kNoFact && looked_at < kMaxFacts; ++looked_at, i = facts_[i].previous) {
    if (terms.excludes(facts_[i].term, !term)) return true;
    if (terms.excludes(facts_[i].term, term)) return false;
  }
  return std::nullopt;
}

// A conjunction is true if all of its parts are, and false if one is.
std::optional<bool> PathFacts::known(Term term) {
  if (facts_.empty()) return term.is_constant() ? std::optional(term == Term::always()) : std::nullopt;
  const PredicateTerms& terms = guards_.predicates().terms();
  Term whole = term.positive();
  bool all = true;
  pending_.assign(1, whole);
  for (size_t parts = 0; !pending_.empty(); ++parts) {
    Term part = pending_.back();
    pending_.pop_back();
    std::optional<bool> answer = known_single(part);
    if (answer == false) return term.is_negated();
    if (answer == true) continue;
    bool divides = !part.is_negated() && terms.kind(part) == PredicateTerms::Kind::Both && parts < kMaxParts;
    if (!divides) {
      all = false;
      continue;
    }
    pending_.push_back(terms.first(part));
    pending_.push_back(terms.second(part));
  }
  if (all) return !term.is_negated();
  return std::nullopt;
}

}  // namespace psi::optimise
