// The syntax of questions about predicates: disjoint(%p, %q), subset(%p & !%q, @b | %r).
#pragma once

#include <string_view>

#include "psi/predicate/text.h"
#include "psi/support/result.h"

namespace psi {

//   question = ("disjoint" | "subset") "(" sum "," sum ")"
//   sum      = product {"|" product}
//   product  = factor {"&" factor}
//   factor   = "!" factor | "(" sum ")" | "true" | "false" | %register | %register@version | @block
Result<PredicateQuestion> parse_query(std::string_view query, const PredicateText& text,
                                      PredicateTerms& terms);

}  // namespace psi
