// What became of the values of SSA form in plain form, and the copies that are left between them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "explore/state.h"
#include "psi/ir/function.h"

namespace psi::explore {

struct Leaving {
  std::vector<std::pair<uint32_t, uint32_t>> became;  // a value, and the other register that it is in now
  std::string copies;                                 // the member of a snapshot; empty: none is known
};

// `before`, with its state, is in SSA form, `after` is what a pass made of it in plain form.
Leaving leave_ssa(const Function& before, const State& state, const Function& after, const State& now,
                  const Limits& limits);

}  // namespace psi::explore
