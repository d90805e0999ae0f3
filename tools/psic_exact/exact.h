// The interface to the module with the solver, which is loaded on first use: loading it takes longer than
// most commands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "psi/destruct/copy_model.h"
#include "psi/predicate/engine.h"

namespace psic {

using MakeExact = std::unique_ptr<psi::PredicateEngine> (*)(const psi::PredicateTerms& terms, uint32_t limit);
using LeastCopies = std::optional<double> (*)(const psi::CopyModel& model, uint64_t max_work);

// The functions that the module exports, which return these.
inline constexpr const char* kMakeExactSymbol = "psic_make_exact_engine";
using GetMakeExact = MakeExact (*)();
inline constexpr const char* kLeastCopiesSymbol = "psic_least_copies";
using GetLeastCopies = LeastCopies (*)();

}  // namespace psic
