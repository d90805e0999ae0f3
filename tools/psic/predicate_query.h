// Questions about predicates as people write them: disjoint(%p, %q), subset(%p & !%q, @b | %r).
#pragma once

#include <optional>
#include <string_view>

#include "psi/diagnostic.h"
#include "psi/predicate_text.h"

namespace psic {

//   question = ("disjoint" | "subset") "(" sum "," sum ")"
//   sum      = product {"|" product}
//   product  = factor {"&" factor}
//   factor   = "!" factor | "(" sum ")" | "true" | "false" | %register | %register@version | @block
//
// Nothing on errors, which `diagnostics` then holds.
std::optional<psi::PredicateQuestion> parse_query(std::string_view query, const psi::PredicateText& text,
                                                  psi::PredicateTerms& terms, psi::Diagnostics& diagnostics);

}  // namespace psic
