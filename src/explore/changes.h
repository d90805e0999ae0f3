// What differs between two states.
#pragma once

#include <string>
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
ChangeCounts write_changes(Json& json, const State* before, const State& now);

// The object of a snapshot: whole, or against the one with this index.
std::string snapshot(const State& now, const State* base, size_t base_index);

}  // namespace psi::explore
