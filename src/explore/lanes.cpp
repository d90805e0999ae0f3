#include "explore/lanes.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "explore/sort_few.h"

namespace psi::explore {

PredicateEngine* Lanes::engine() {
  if (!asks_ || num_splits_ > kMaxAsked) return nullptr;
  if (!engine_) engine_ = make_predicate_engine(PredicateEngineKind::Auto, terms_);
  return engine_.get();
}

bool Lanes::excludes(Term a, Term b) {
  if (a == Term::never() || b == Term::never() || terms_.both(a, b) == Term::never()) return true;
  if (a == Term::always() || b == Term::always()) return false;
  PredicateEngine* asked = engine();
  return asked && asked->disjoint(a, b) == Answer::Yes;
}

void Lanes::split(Term by, double probability) {
  if (by.is_constant() || !split_by_.try_emplace(by.positive().raw(), true).second) return;
  ++num_splits_;
  size_t count = parts_.size();
  for (size_t i = 0; i < count; ++i) {
    Part part = parts_[i];
    if (part.is_rest || excludes(part.term, by) || excludes(part.term, !by)) continue;
    parts_[i] = {terms_.both(part.term, by), part.weight * probability, false};
    parts_.push_back({terms_.both(part.term, !by), part.weight * (1 - probability), false});
  }
  limit(kMaxParts);
}

// The rarest become one, which is the last.
void Lanes::limit(size_t most) {
  if (parts_.size() <= most) return;
  auto key = [](const Part& part) { return std::tuple(part.is_rest, -part.weight); };
  sort_few(parts_, [&](const Part& a, const Part& b) { return key(a) < key(b); });
  Part rest{Term::always(), 0, true};
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i + 1 < most) {
      rest.term = terms_.both(rest.term, !parts_[i].term);
    } else {
      rest.weight += parts_[i].weight;
    }
  }
  parts_.resize(most);
  parts_.back() = rest;
}

PartSet Lanes::of(Term term) {
  auto everything = (uint32_t{1} << parts_.size()) - 1;
  if (term == Term::always()) return {everything, everything};
  if (term == Term::never()) return {};
  auto known = sets_.find(term.raw());
  if (known != sets_.end()) return known->second;
  PartSet set;
  for (size_t i = 0; i < parts_.size(); ++i) {
    uint32_t bit = uint32_t{1} << i;
    if (excludes(parts_[i].term, term)) continue;
    set.some |= bit;
    if (excludes(parts_[i].term, !term)) set.all |= bit;
  }
  sets_.emplace((!term).raw(), PartSet{everything & ~set.some, everything & ~set.all});
  return sets_[term.raw()] = set;
}

std::string Lanes::mask(PartSet set) const {
  std::string text;
  if (!any()) return text;
  for (const Lane& lane : lanes_) {
    bool is_all = (lane.parts & ~set.all) == 0, is_none = (lane.parts & set.some) == 0;
    text += is_all ? '1' : is_none ? '0' : '?';
  }
  return text;
}

void Lanes::finish(std::span<const Term> features) {
  std::vector<PartSet> sets;
  for (Term term : features) {
    PartSet set = of(term);
    if (sets.empty() || sets.back() != set) sets.push_back(set);
  }
  choose_lanes();
  order_by_text(sets);
}

void Lanes::choose_lanes() {
  std::vector<uint32_t> order(parts_.size());
  std::iota(order.begin(), order.end(), 0u);
  auto key = [&](uint32_t i) { return std::tuple(parts_[i].is_rest, -parts_[i].weight); };
  if (order.size() > kMost) sort_few(order, [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  lanes_.clear();
  for (uint32_t i : order) {
    const Part& part = parts_[i];
    if (lanes_.size() < kMost) {
      lanes_.push_back({uint32_t{1} << i, part.term, part.is_rest, part.weight, 0});
      continue;
    }
    Lane& rest = lanes_.back();
    rest.parts |= uint32_t{1} << i;
    rest.term = terms_.either(rest.term, part.term);
    rest.weight += part.weight;
    rest.is_rest = true;
  }
}

// First by the first thing that only one of two lanes executes; then so that as many sets as possible are
// neighbours.
void Lanes::order_by_text(std::span<const PartSet> features) {
  auto holds = [](const Lane& lane, PartSet set) { return (lane.parts & ~set.all) == 0; };
  auto comes_before = [&](const Lane& a, const Lane& b) {
    if (a.is_rest != b.is_rest) return b.is_rest;
    for (PartSet set : features) {
      if (holds(a, set) != holds(b, set)) return holds(a, set);
    }
    return false;
  };
  sort_few(lanes_, comes_before);
  constexpr size_t kMaxSets = 48;
  std::set<uint32_t> wanted;  // as bits of lanes
  for (PartSet set : features) {
    uint32_t bits = 0;
    for (size_t i = 0; i < lanes_.size(); ++i) {
      if (holds(lanes_[i], set)) bits |= uint32_t{1} << i;
    }
    if (wanted.size() < kMaxSets && (bits & (bits - 1)) != 0) wanted.insert(bits);
  }
  std::vector<uint32_t> order(lanes_.size()), best;
  std::iota(order.begin(), order.end(), 0u);
  size_t most = 0;
  bool has_rest = lanes_.back().is_rest;
  do {
    size_t count = 0;
    for (uint32_t set : wanted) {
      uint32_t bits = 0;
      for (size_t i = 0; i < order.size(); ++i) bits |= (set >> order[i] & 1) << i;
      uint32_t low = bits & (~bits + 1);
      count += ((bits + low) & bits) == 0;
    }
    if (best.empty() || count > most) {
      best = order;
      most = count;
    }
  } while (most < wanted.size() && std::next_permutation(order.begin(), order.end() - (has_rest ? 1 : 0)));
  reorder(best);
}

void Lanes::reorder(std::span<const uint32_t> order) {
  std::vector<Lane> moved;
  for (uint32_t i : order) moved.push_back(lanes_[i]);
  lanes_ = std::move(moved);
}

}  // namespace psi::explore
