// The union of several guards, as a term. Of too many nothing is kept: it may hold in every execution.
#pragma once

#include <cstdint>

#include "psi/predicate/guard_facts.h"

namespace psi::live {

class GuardUnion {
 public:
  GuardUnion() = default;
  explicit GuardUnion(Term term) : term_(term), parts_(1) {}

  // No less than the union; just that if it is known.
  Term term() const { return term_; }
  bool is_known() const { return parts_ <= kMaxParts; }
  void add(const GuardUnion& other, PredicateTerms& terms);

 private:
  static constexpr uint32_t kMaxParts = 16;

  Term term_ = Term::never();
  uint32_t parts_ = 0;
};

// Known to be so.
inline bool contains(GuardFacts& facts, Term outer, const GuardUnion& inner) {
  return facts.contains(outer, inner.term());
}
inline bool contains(GuardFacts& facts, const GuardUnion& outer, Term inner) {
  return outer.is_known() && facts.contains(outer.term(), inner);
}

}  // namespace psi::live
