// The syntax of questions about predicates: disjoint(%p, %q), subset(%p & !%q, @b | %r).
#pragma once

#include <optional>
#include <string_view>

#include "psi/predicate/text.h"
#include "psi/support/diagnostic.h"

namespace psi {

//   question = ("disjoint" | "subset") "(" sum "," sum ")"
//   sum      = product {"|" product}
//   product  = factor {"&" factor}
//   factor   = "!" factor | "(" sum ")" | "true" | "false" | %register | %register@version | @block
//
// Nothing on errors, which are in `diagnostics`.
std::optional<PredicateQuestion> parse_query(std::string_view query, const PredicateText& text,
                                             PredicateTerms& terms, Diagnostics& diagnostics);

}  // namespace psi
