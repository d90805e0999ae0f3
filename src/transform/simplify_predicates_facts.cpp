#include "transform/simplify_predicates_facts.h"

#include <algorithm>

namespace psi::transform {
namespace {

constexpr uint32_t kNoFact = UINT32_MAX;
// So many facts with the same key are looked at, so many parts of a term, and so many terminators or cases
// that were not taken.
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
    std::span<const Operand> operands = function_.operands(inst);
    bool is_switch = inst.op == Opcode::Switch;
    uint32_t targets = inst.op == Opcode::Br ? (inst.count + 1) / 2 : is_switch ? inst.count / 2 : 0;
    if (taken >= targets) {
      taken -= targets;
      if (inst.guard && ++others <= kMaxOthers) add(!guards_.term(inst.guard));
      continue;
    }
    if (inst.guard) add(guards_.term(inst.guard));
    if (inst.op == Opcode::Br && targets == 2) {
      Term term = guards_.term(operands[0]);
      add(taken == 0 ? term : !term);
    } else if (is_switch && operands[0].is_reg()) {
      auto is_case = [&](size_t i) {
        return guards_.predicates().compare(inst.type, Cond::eq, operands[0], operands[2 * i]);
      };
      if (taken > 0) return add(is_case(taken));
      for (size_t i = 1; i < targets && i <= kMaxOthers; ++i) add(!is_case(i));
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

}  // namespace psi::transform
