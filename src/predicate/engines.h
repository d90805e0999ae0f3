// The engines behind make_predicate_engine, one source each.
#pragma once

#include <memory>

#include "psi/predicate/engine.h"

namespace psi::predicate {

std::unique_ptr<PredicateEngine> make_partition_engine(PredicateTerms& terms);
std::unique_ptr<PredicateEngine> make_hierarchy_engine(PredicateTerms& terms);
std::unique_ptr<PredicateEngine> make_auto_engine(PredicateTerms& terms, MakeExactEngine make_exact);

}  // namespace psi::predicate
