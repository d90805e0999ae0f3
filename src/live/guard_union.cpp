#include "live/guard_union.h"

namespace psi::live {

void GuardUnion::add(const GuardUnion& other, PredicateTerms& terms) {
  Term whole = terms.either(term_, other.term_);
  if (whole == term_) return;
  parts_ = whole == other.term_ ? other.parts_ : parts_ + other.parts_;
  term_ = is_known() ? whole : Term::always();
}

}  // namespace psi::live
