// What psic asks of its module with the solver, which is loaded when it is first wanted: to load it takes
// longer than most of what psic does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "psi/copy_model.h"
#include "psi/predicate_engine.h"

namespace psic {

using MakeExact = std::unique_ptr<psi::PredicateEngine> (*)(const psi::PredicateTerms& terms, uint32_t limit);
using LeastCopies = std::optional<double> (*)(const psi::CopyModel& model, uint64_t max_work);

// The functions that the module exports, which return these.
inline constexpr const char* kMakeExactSymbol = "psic_make_exact_engine";
using GetMakeExact = MakeExact (*)();
inline constexpr const char* kLeastCopiesSymbol = "psic_least_copies";
using GetLeastCopies = LeastCopies (*)();

}  // namespace psic
