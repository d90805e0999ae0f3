// What differs between two states.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "explore/json.h"
#include "explore/state.h"

namespace psi::explore {

// Names, words, literals and signs of a line.
std::vector<std::string_view> tokens(std::string_view line);

struct ChangeCounts {
  size_t added = 0, removed = 0;
};
// Appends the members of Changes; `before` may be null for the first state.
// `became`: for a pass that left SSA form.
ChangeCounts write_changes(Json& json, const State* before, const State& now,
                           std::span<const std::pair<uint32_t, uint32_t>> became);

// The object of a snapshot: whole, or against the one with this index.
std::string snapshot(const State& now, const State* base, size_t base_index);

}  // namespace psi::explore
