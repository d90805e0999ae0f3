#include "support/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace psi {
namespace {

// How many single-character edits lead from one word to the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  size_t best = 3;
  std::string_view closest;
  if (word.size() > 20) return {};
  for (std::string_view name : known) {
    size_t distance = edit_distance(word, name);
    if (distance < best && distance < name.size()) best = distance, closest = name;
  }
  return closest.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", closest);
}

}  // namespace psi
