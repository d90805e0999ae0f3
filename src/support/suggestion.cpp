#include "psi/support/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace psi {
namespace {

// How many edits lead from one word to the other: characters more, fewer or other ones, or two exchanged.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      bool is_exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_exchanged) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  constexpr size_t kLongestWord = 40, kShortestStart = 3, kShortWord = 4;
  if (word.empty() || word.size() > kLongestWord) return {};
  // One edit in a short word, two in others, and more in long ones.
  size_t limit = word.size() <= kShortWord ? 1 : std::max<size_t>(2, word.size() / kShortWord);
  size_t best = limit + 1;
  std::string_view closest, longer;
  for (std::string_view name : known) {
    size_t distance = edit_distance(word, name);
    if (distance < best && distance < name.size()) best = distance, closest = name;
    if (longer.empty() && word.size() >= kShortestStart && name.starts_with(word)) longer = name;
  }
  if (closest.empty()) closest = longer;
  return closest.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", closest);
}

}  // namespace psi
