#include "explore/conflicts.h"

#include <algorithm>

#include "psi/analysis/uses.h"
#include "psi/live/liveness.h"

namespace psi::explore {
namespace {

std::string both(std::string_view a, std::string_view b) {
  std::string mask;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    mask += a[i] == '0' || b[i] == '0' ? '0' : a[i] == '1' && b[i] == '1' ? '1' : '?';
  }
  return mask.find_first_not_of('0') == std::string::npos ? std::string() : mask;
}

}  // namespace

Conflicts::Place Conflicts::place(Reg a, Reg b) {
  const Uses& uses = analyses_.get<Uses>();
  LivenessQuery& live = analyses_.get<LivenessQuery>();
  InstId first = uses.definition(a), second = uses.definition(b);
  if (first && live.is_live_after(first, b)) return {first, lanes(first, b)};
  if (second && live.is_live_after(second, a)) return {second, lanes(second, a)};
  return {};
}

std::string Conflicts::lanes(InstId at, Reg live) const {
  auto written = state_.written.find(function_.identity(at));
  auto spans = state_.life.find(function_.identity(live));
  if (written == state_.written.end() || spans == state_.life.end()) return {};
  auto row = std::ranges::find(state_.rows, at, &Row::inst);
  if (row == state_.rows.end()) return {};
  uint32_t point = 1;  // behind the row
  for (auto above = row; above != state_.rows.begin() && std::prev(above)->block == row->block; --above)
    ++point;
  for (const Life& life : spans->second) {
    bool is_here = life.block == row->block && life.first <= point && point <= life.last;
    if (is_here) return both(written->second, life.lanes);
  }
  return {};
}

}  // namespace psi::explore
