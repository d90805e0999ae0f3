// Join-set sharing: the frontier of a union is the union of the frontiers, so equal sets of definitions need
// one computation, and where a known set is part of a new one only the rest has to be computed.
//
// Equal sets are found by hashing. Subsets are searched among the sets that start with one of the first few
// definitions of the new one; a limited number is tried, and the largest is used. Comparing all pairs would
// cost more than sharing saves.

#include "ssa/join_sets.h"

#include <algorithm>

#include "psi/analysis/dominators.h"
#include "support/hash.h"

namespace psi::ssa {
namespace {

constexpr uint32_t kNoSet = UINT32_MAX;
constexpr uint32_t kFirstsTried = 4;
constexpr uint32_t kSetsTried = 16;

uint64_t hash_of(std::span<const BlockId> blocks) {
  Hash hash;
  hash.add(blocks.size());
  for (BlockId b : blocks) hash.add(b.index());
  return hash.value();
}

}  // namespace

JoinSets::JoinSets(PlacementAlgorithm algorithm, Analyses& analyses, bool share,
                   std::pmr::memory_resource& memory)
    : algorithm_(algorithm),
      analyses_(analyses),
      memory_(memory),
      dominators_(analyses.get<Dominators>()),
      share_(share) {
  if (!share) return;
  table_.resize(64);
  by_first_.resize(dominators_.preorder().size(), kNoSet);
}

std::span<const BlockId> JoinSets::of(std::span<const BlockId> definitions) {
  joins_.clear();
  if (!share_) {
    ++run_;
    placement().place(definitions, joins_);
    return joins_;
  }
  uint64_t hash = hash_of(definitions);
  if (uint32_t equal = find_equal(definitions, hash); equal != kNoSet) {
    ++avoided_;
    elements_saved_ += definitions.size();
    return joins_of(known_[equal]);
  }
  compute(definitions);
  return remember(definitions, hash);
}

void JoinSets::compute(std::span<const BlockId> definitions) {
  ++run_;
  uint32_t subset = find_subset(definitions);
  if (subset == kNoSet) {
    placement().place(definitions, joins_);
    return;
  }
  ++shortened_;
  std::span<const BlockId> part = definitions_of(known_[subset]);
  elements_saved_ += part.size();
  rest_.clear();
  for (size_t i = 0, k = 0; i < definitions.size(); ++i) {
    if (k < part.size() && part[k] == definitions[i]) {
      ++k;
    } else {
      rest_.push_back(definitions[i]);
    }
  }
  placement().place(rest_, joins_);
  std::span<const BlockId> known = joins_of(known_[subset]);
  joins_.insert(joins_.end(), known.begin(), known.end());
  std::sort(joins_.begin(), joins_.end());
  joins_.erase(std::unique(joins_.begin(), joins_.end()), joins_.end());
}

uint32_t JoinSets::find_equal(std::span<const BlockId> definitions, uint64_t hash) const {
  size_t mask = table_.size() - 1;
  for (size_t slot = hash & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
    const Known& known = known_[table_[slot] - 1];
    if (known.hash == hash && std::ranges::equal(definitions_of(known), definitions)) return table_[slot] - 1;
  }
  return kNoSet;
}

uint32_t JoinSets::find_subset(std::span<const BlockId> definitions) const {
  uint32_t best = kNoSet, tried = 0;
  for (size_t i = 0; i < definitions.size() && i < kFirstsTried; ++i) {
    uint32_t candidate = by_first_[dominators_.pre_number(definitions[i])];
    for (; candidate != kNoSet && tried < kSetsTried; candidate = known_[candidate].next, ++tried) {
      const Known& known = known_[candidate];
      if (known.num_definitions >= definitions.size()) continue;
      if (best != kNoSet && known.num_definitions <= known_[best].num_definitions) continue;
      if (is_subset(definitions_of(known), definitions)) best = candidate;
    }
  }
  return best;
}

bool JoinSets::is_subset(std::span<const BlockId> small, std::span<const BlockId> large) const {
  return std::includes(large.begin(), large.end(), small.begin(), small.end(), [&](BlockId a, BlockId b) {
    return dominators_.pre_number(a) < dominators_.pre_number(b);
  });
}

std::span<const BlockId> JoinSets::remember(std::span<const BlockId> definitions, uint64_t hash) {
  uint32_t& first = by_first_[dominators_.pre_number(definitions[0])];
  known_.push_back({hash, pool_.size(), static_cast<uint32_t>(definitions.size()),
                    static_cast<uint32_t>(joins_.size()), first});
  first = static_cast<uint32_t>(known_.size()) - 1;
  pool_.insert(pool_.end(), definitions.begin(), definitions.end());
  pool_.insert(pool_.end(), joins_.begin(), joins_.end());
  if (known_.size() * 2 > table_.size()) {
    grow_table();
  } else {
    size_t mask = table_.size() - 1, slot = hash & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<uint32_t>(known_.size());
  }
  return joins_of(known_.back());
}

void JoinSets::grow_table() {
  table_.assign(table_.size() * 2, 0);
  size_t mask = table_.size() - 1;
  for (uint32_t i = 0; i < known_.size(); ++i) {
    size_t slot = known_[i].hash & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = i + 1;
  }
}

}  // namespace psi::ssa
