// The optimum of a copy model, by the solver Z3. Only in builds with the component `exact`.
#pragma once

#include <cstdint>
#include <optional>

#include "psi/destruct/copy_model.h"

namespace psi {

// The weight of the copies that the best assignment of registers leaves. Nothing if it is not found within
// `max_work` of the solver's units of work, which are the same on every computer; 0: no limit.
constexpr uint64_t kDefaultCopyWork = 20'000'000;
std::optional<double> least_copies(const CopyModel& model, uint64_t max_work = kDefaultCopyWork);

}  // namespace psi
