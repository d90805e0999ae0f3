#include "live/sorted_webs.h"

#include <algorithm>
#include <numeric>

#include "psi/analysis/dominators.h"

namespace psi::live {

SortedWebs::SortedWebs(SegmentInterference& segments, const Dominators& dominators, bool guards, bool values,
                       Webs& webs)
    : segments_(segments), ranges_(segments.ranges()), guards_(guards), values_(values), webs_(webs) {
  number(dominators);
  live_above_.resize(regs_.size(), kNone);
  roots_.resize(ranges_.num_regs(), kNone);
  for (uint32_t member = 0; member < regs_.size(); ++member) {
    uint32_t& web = root(regs_[member]);
    uint32_t above = tree_.lowest_above(web, member);
    while (above != kNone && relation(member, above) == Relation::NotLiveTogether) above = live_above_[above];
    live_above_[member] = above;
    tree_.insert(web, member);
  }
}

void SortedWebs::number(const Dominators& dominators) {
  auto block = [&](Reg r) { return dominators.pre_number(ranges_.definition(r).block); };
  auto for_each_reg = [&](auto visit) {
    Reg last;
    for (const LiveRange& range : ranges_.all()) {
      if (range.reg != last) visit(range.reg);
      last = range.reg;
    }
  };
  // By a block's number in the walk, and one more: how many are defined before. One further on until they all
  // have their segments.
  auto num_blocks = static_cast<uint32_t>(dominators.preorder().size());
  std::vector<uint32_t> before(num_blocks + 2);
  for_each_reg([&](Reg r) { ++before[block(r) + 2]; });
  std::partial_sum(before.begin(), before.end(), before.begin());
  regs_.resize(before.back());
  for_each_reg([&](Reg r) { regs_[before[block(r) + 1]++] = r; });

  auto key = [&](Reg r) { return std::pair(ranges_.definition(r).position, r); };
  std::vector<uint32_t> last;
  last.reserve(regs_.size());
  for (uint32_t i = 0; i < num_blocks; ++i) {
    std::sort(regs_.begin() + before[i], regs_.begin() + before[i + 1],
              [&](Reg x, Reg y) { return key(x) < key(y); });
    uint32_t end = i + dominators.subtree_size(dominators.preorder()[i]);
    last.resize(before[i + 1], before[end] - 1);
  }
  tree_ = WebTree(last);
}

// The only one that may be live at a position, the last that begins up to there; none if it is not defined
// yet.
uint32_t SortedWebs::segment(const LiveRange& range, uint32_t position) const {
  std::span<const Segment> segments = ranges_.segments(range);
  auto after = std::upper_bound(segments.begin(), segments.end(), position,
                                [](uint32_t at, const Segment& segment) { return at < segment.start; });
  if (after == segments.begin()) return kNone;
  return range.first_segment + static_cast<uint32_t>(after - segments.begin()) - 1;
}

// How a member relates to one above it. What is written together is live together.
SortedWebs::Relation SortedWebs::relation(uint32_t lower, uint32_t upper) {
  const Definition& below = ranges_.definition(regs_[lower]);
  const Definition& above = ranges_.definition(regs_[upper]);
  bool is_live = below.position == above.position;
  uint32_t own = guards_ ? ranges_.of(regs_[lower]).front().first_segment : kNone;
  for (const LiveRange& range : ranges_.of(regs_[upper])) {
    uint32_t other = segment(range, below.position);
    if (other == kNone) continue;
    if (guards_ && segments_.interfere(own, other)) return Relation::Interfering;
    is_live = is_live || ranges_.all_segments()[other].is_live_after(below.position);
  }
  if (!is_live) return Relation::NotLiveTogether;
  return guards_ || same_value(regs_[lower], regs_[upper]) ? Relation::LiveTogether : Relation::Interfering;
}

// With a member of the web that is above?
bool SortedWebs::interferes_above(uint32_t root, uint32_t member) {
  uint32_t lowest = kNone;
  for (uint32_t above = tree_.lowest_above(root, member); above != kNone; above = live_above_[above]) {
    Relation found = relation(member, above);
    if (found == Relation::Interfering) return true;
    if (found == Relation::NotLiveTogether || lowest != kNone) continue;
    lowest = above;
    // All that are live here have the same value.
    if (!guards_) break;
  }
  if (lowest != kNone) links_.emplace_back(member, lowest);
  return false;
}

// With one that is below?
bool SortedWebs::interferes_below(uint32_t root, uint32_t member) {
  uint32_t last = tree_.last_below(member);
  uint32_t below = tree_.next(root, member);
  while (below != kNone && below <= last) {
    Relation found = relation(below, member);
    if (found == Relation::Interfering) return true;
    if (found == Relation::LiveTogether) links_.emplace_back(below, member);
    below = tree_.next(root, found == Relation::NotLiveTogether ? tree_.last_below(below) : below);
  }
  return false;
}

uint64_t SortedWebs::key(Reg a, Reg b) const {
  auto [first, second] = std::minmax({webs_.find(a).index(), webs_.find(b).index()});
  return uint64_t{first} << 32 | second;
}

bool SortedWebs::interfere(Reg a, Reg b) {
  if (interfering_.contains(key(a, b))) return true;
  if (webs_.size(a) < webs_.size(b)) std::swap(a, b);
  links_.clear();
  tree_.collect(root(b), small_);
  for (uint32_t member : small_) {
    if (!interferes_above(root(a), member) && !interferes_below(root(a), member)) continue;
    interfering_.insert(key(a, b));
    return true;
  }
  return false;
}

void SortedWebs::unite(Reg a, Reg b) {
  for (auto [member, above] : links_) {
    uint32_t& known = live_above_[member];
    if (known == kNone || known < above) known = above;
  }
  if (webs_.size(a) < webs_.size(b)) std::swap(a, b);
  uint32_t all = root(a);
  for (uint32_t member : small_) tree_.insert(all, member);
  root(webs_.unite(a, b)) = all;
}

size_t SortedWebs::memory() const {
  // An entry of the set is a node with a link, and a place in the table.
  constexpr size_t kSetEntry = 4 * sizeof(uint64_t);
  return regs_.capacity() * sizeof(Reg) + tree_.memory() +
         (live_above_.capacity() + roots_.capacity() + small_.capacity()) * sizeof(uint32_t) +
         links_.capacity() * sizeof(links_[0]) + interfering_.size() * kSetEntry;
}

}  // namespace psi::live
