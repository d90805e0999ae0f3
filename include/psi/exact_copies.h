// The least that can be left of the copies of a model, by the solver Z3. Only in builds with the component
// `exact`.
#pragma once

#include <cstdint>
#include <optional>

#include "psi/copy_model.h"

namespace psi {

// What the copies weigh that the best assignment of registers leaves. Nothing if that is not known after
// `max_work` of the solver's units of work, which do not depend on the machine; 0: any amount will do.
constexpr uint64_t kDefaultCopyWork = 20'000'000;
std::optional<double> least_copies(const CopyModel& model, uint64_t max_work = kDefaultCopyWork);

}  // namespace psi
