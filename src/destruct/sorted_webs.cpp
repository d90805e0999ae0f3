#include "destruct/sorted_webs.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace psi::destruction {

SortedWebs::SortedWebs(PlaceInterference& places, const Dominators& dominators, bool guards, bool values,
                       Webs& webs)
    : places_(places), ranges_(places.ranges()), guards_(guards), values_(values), webs_(webs) {
  number(dominators);
  sort_places();
  // From the last to the first, so that each goes to the head of its list.
  first_.resize(ranges_.num_regs(), kNone);
  for (uint32_t m = static_cast<uint32_t>(members_.size()); m-- > 0;) {
    uint32_t& head = first(members_[m].reg);
    members_[m].next = head;
    head = m;
  }
}

void SortedWebs::number(const Dominators& dominators) {
  std::vector<Reg> regs;
  for (const LiveRange& range : ranges_.all()) {
    if (regs.empty() || regs.back() != range.reg) regs.push_back(range.reg);
  }
  auto key = [&](Reg r) {
    const Definition& definition = ranges_.definition(r);
    return std::tuple(dominators.pre_number(definition.block), definition.position, r);
  };
  std::sort(regs.begin(), regs.end(), [&](Reg x, Reg y) { return key(x) < key(y); });
  members_.reserve(regs.size());
  for (Reg r : regs) {
    BlockId b = ranges_.definition(r).block;
    uint32_t block = dominators.pre_number(b);
    members_.push_back({r, block, block + dominators.subtree_size(b) - 1});
  }
}

void SortedWebs::sort_places() {
  std::span<const Place> all = ranges_.all_places();
  sorted_places_.resize(all.size());
  std::iota(sorted_places_.begin(), sorted_places_.end(), 0u);
  for (const LiveRange& range : ranges_.all()) {
    auto begin = sorted_places_.begin() + range.first_place;
    std::sort(begin, begin + range.num_places,
              [&](uint32_t x, uint32_t y) { return all[x].tile < all[y].tile; });
  }
}

// The one in this tile; none if it is not live there.
uint32_t SortedWebs::place(const LiveRange& range, uint32_t tile) const {
  auto begin = sorted_places_.begin() + range.first_place, end = begin + range.num_places;
  auto at = std::lower_bound(begin, end, tile,
                             [&](uint32_t p, uint32_t t) { return ranges_.all_places()[p].tile < t; });
  return at != end && ranges_.all_places()[*at].tile == tile ? *at : kNone;
}

// With guards: does one write destroy what the other holds?
bool SortedWebs::interfere(uint32_t member, uint32_t ancestor) {
  Reg lower = members_[member].reg, upper = members_[ancestor].reg;
  uint32_t tile = ranges_.definition(lower).tile;
  uint32_t own = place(ranges_.of(lower).front(), tile);
  for (const LiveRange& range : ranges_.of(upper)) {
    uint32_t other = place(range, tile);
    if (other != kNone && places_.interfere(own, other)) return true;
  }
  return false;
}

// Without guards, and whatever the values: what is written together is live together.
bool SortedWebs::are_live_together(uint32_t member, uint32_t ancestor) const {
  const Definition& lower = ranges_.definition(members_[member].reg);
  const Definition& upper = ranges_.definition(members_[ancestor].reg);
  if (lower.block == upper.block && lower.position == upper.position) return true;
  uint32_t at = place(ranges_.of(members_[ancestor].reg).front(), lower.tile);
  return at != kNone && ranges_.all_places()[at].is_live_after(lower.position);
}

bool SortedWebs::interferes_with_ancestors(uint32_t member, bool is_of_a) {
  for (const Ancestor& ancestor : ancestors_) {
    if (ancestor.is_of_a != is_of_a && interfere(member, ancestor.member)) return true;
  }
  return false;
}

// And, if it does not, notes its equal ancestor in the other web.
bool SortedWebs::interferes_with_parent(uint32_t member, bool is_of_a) {
  members_[member].equal_outside = kNone;
  if (ancestors_.empty()) return false;
  const Ancestor& parent = ancestors_.back();
  uint32_t other = parent.is_of_a == is_of_a ? members_[parent.member].equal_outside : parent.member;
  if (other == kNone) return false;
  uint32_t together = other;
  while (together != kNone && !are_live_together(member, together)) {
    together = members_[together].equal_inside;
  }
  if (!same_value(member, other)) return together != kNone;
  members_[member].equal_outside = together;
  return false;
}

// Leaves only those that dominate it.
void SortedWebs::find_ancestors(uint32_t member) {
  while (!ancestors_.empty() && members_[ancestors_.back().member].last_block < members_[member].block) {
    --num_ancestors_[ancestors_.back().is_of_a];
    ancestors_.pop_back();
  }
}

bool SortedWebs::interfere(Reg a, Reg b) {
  ancestors_.clear();
  num_ancestors_ = {};
  uint32_t next_a = first(a), next_b = first(b);
  // What is left of one list can only meet what is left of the other, or what stands on the stack.
  while ((next_a != kNone && (next_b != kNone || num_ancestors_[false] > 0)) ||
         (next_b != kNone && num_ancestors_[true] > 0)) {
    bool is_of_a = next_a < next_b;
    uint32_t member = is_of_a ? next_a : next_b;
    (is_of_a ? next_a : next_b) = members_[member].next;
    find_ancestors(member);
    if (guards_ ? interferes_with_ancestors(member, is_of_a) : interferes_with_parent(member, is_of_a)) {
      return true;
    }
    ancestors_.push_back({member, is_of_a});
    ++num_ancestors_[is_of_a];
  }
  for (uint32_t rest : {next_a, next_b}) {
    for (; rest != kNone; rest = members_[rest].next) members_[rest].equal_outside = kNone;
  }
  return false;
}

void SortedWebs::unite(Reg a, Reg b) {
  uint32_t next_a = first(a), next_b = first(b);
  uint32_t head = kNone;
  uint32_t* end = &head;
  while (next_a != kNone || next_b != kNone) {
    uint32_t& next = next_a < next_b ? next_a : next_b;
    *end = next;
    Member& member = members_[next];
    next = member.next;
    end = &member.next;
    // Of two ancestors the nearer one.
    if (member.equal_inside == kNone ||
        (member.equal_outside != kNone && member.equal_outside > member.equal_inside)) {
      member.equal_inside = member.equal_outside;
    }
  }
  *end = kNone;
  first(webs_.unite(a, b)) = head;
}

size_t SortedWebs::memory() const {
  return members_.capacity() * sizeof(Member) +
         (first_.capacity() + sorted_places_.capacity()) * sizeof(uint32_t) +
         ancestors_.capacity() * sizeof(Ancestor);
}

}  // namespace psi::destruction
