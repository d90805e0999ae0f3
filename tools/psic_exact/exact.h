// What psic asks of its module with the exact predicate engine, which is loaded when the first such engine is
// wanted: to load the solver takes longer than most of what psic does.
#pragma once

#include <cstdint>
#include <memory>

#include "psi/predicate_engine.h"

namespace psic {

using MakeExact = std::unique_ptr<psi::PredicateEngine> (*)(const psi::PredicateTerms& terms, uint32_t limit);

// The one function that the module exports.
inline constexpr const char* kMakeExactSymbol = "psic_make_exact_engine";
using GetMakeExact = MakeExact (*)();

}  // namespace psic
