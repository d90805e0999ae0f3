#include "testing/generator/scope.h"

#include <algorithm>

namespace psi::testing {
namespace {

// Longer chains of implication are rare and not worth the search.
constexpr int kMaxSteps = 4;
constexpr size_t kMaxFacts = 6;

}  // namespace

Scope::Mark Scope::mark() const {
  Mark mark;
  for (size_t i = 0; i < readable.size(); ++i) {
    mark.readable[i] = static_cast<uint32_t>(readable[i].size());
    mark.writable[i] = static_cast<uint32_t>(writable[i].size());
  }
  mark.stable = static_cast<uint32_t>(stable.size());
  mark.guarded = static_cast<uint32_t>(guarded.size());
  mark.pointers = static_cast<uint32_t>(pointers.size());
  mark.facts = static_cast<uint32_t>(facts.size());
  return mark;
}

void Scope::leave(const Mark& mark) {
  for (size_t i = 0; i < readable.size(); ++i) {
    readable[i].resize(mark.readable[i]);
    writable[i].resize(mark.writable[i]);
  }
  stable.resize(mark.stable);
  guarded.resize(mark.guarded);
  pointers.resize(mark.pointers);
  facts.resize(mark.facts);
}

bool Scope::implies(Literal from, Literal goal, int depth) const {
  if (from == goal) return true;
  if (depth == 0) return false;
  const StablePredicate& predicate = stable[from.index()];
  const std::array<Literal, 2>& next = from.is_negated() ? predicate.when_false : predicate.when_true;
  return std::any_of(next.begin(), next.end(), [&](Literal literal) {
    return !literal.is_none() && implies(literal, goal, depth - 1);
  });
}

bool Scope::holds(Literal goal, Literal known) const {
  if (goal.is_none()) return true;
  if (!known.is_none() && implies(known, goal, kMaxSteps)) return true;
  size_t first = facts.size() - std::min(facts.size(), kMaxFacts);
  return std::any_of(facts.begin() + static_cast<ptrdiff_t>(first), facts.end(),
                     [&](Literal fact) { return implies(fact, goal, kMaxSteps); });
}

}  // namespace psi::testing
