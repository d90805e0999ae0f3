// Places of lanes from state to state: what was there keeps its place.
#include <algorithm>
#include <numeric>

#include "explore/state.h"

namespace psi::explore {
namespace {

// How many values agree, less those that do not.
int agreement(const LaneMemory::Seen& a, const LaneMemory::Seen& b) {
  int score = 0;
  auto other = b.holds.begin();
  for (auto [value, is_true] : a.holds) {
    while (other != b.holds.end() && other->first < value) ++other;
    if (other == b.holds.end()) break;
    if (other->first == value) score += other->second == is_true ? 1 : -1000;
  }
  return score;
}

}  // namespace

void LaneMemory::place(uint32_t entry, Lanes& lanes, std::vector<Seen> now) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> slots(now.size(), kNone);
  std::vector<bool> is_taken(Lanes::kMost);
  auto take = [&](size_t lane, uint32_t slot) {
    slots[lane] = slot;
    is_taken[slot] = true;
  };
  if (auto at = last_.find(entry); at != last_.end()) {
    const std::vector<Seen>& before = at->second;
    for (size_t i = 0; i < now.size(); ++i) {
      auto same = std::ranges::find(before, now[i].term, &Seen::term);
      if (same == before.end() || is_taken[same->slot]) continue;
      take(i, same->slot);
      now[i].weight = same->weight;
    }
    for (size_t i = 0; i < now.size(); ++i) {
      int most = 0;
      const Seen* best = nullptr;
      for (const Seen& seen : before) {
        int score = slots[i] == kNone && !is_taken[seen.slot] ? agreement(seen, now[i]) : 0;
        if (score > most) best = &seen, most = score;
      }
      if (!best) continue;
      take(i, best->slot);
      now[i].weight = best->weight;
    }
  }
  for (size_t i = 0; i < now.size(); ++i) {
    if (slots[i] == kNone)
      take(i, static_cast<uint32_t>(std::ranges::find(is_taken, false) - is_taken.begin()));
  }
  std::vector<uint32_t> order(now.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](uint32_t i) { return slots[i]; });
  double sum = 0;
  for (size_t i = 0; i < now.size(); ++i) {
    now[i].slot = lanes.lanes()[i].slot = slots[i];
    lanes.lanes()[i].weight = now[i].weight;
    sum += now[i].weight;
  }
  for (Lanes::Lane& lane : lanes.lanes()) lane.weight = sum > 0 ? lane.weight / sum : 0;
  lanes.reorder(order);
  now_[entry] = std::move(now);
}

}  // namespace psi::explore
