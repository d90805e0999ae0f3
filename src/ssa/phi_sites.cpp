#include "ssa/phi_sites.h"

#include <algorithm>
#include <utility>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "ssa/join_sets.h"
#include "ssa/live_range.h"
#include "ssa/place_small.h"

namespace psi::ssa {

ArgumentSlots::ArgumentSlots(const Cfg& cfg, std::pmr::memory_resource& memory)
    : start_(cfg.num_blocks() + 1, &memory), slots_(&memory), count_(cfg.num_blocks(), &memory) {
  auto for_each_slot = [&](auto visit) {
    for (uint32_t i = 0; i < cfg.num_blocks(); ++i) {
      uint32_t index = 0;
      cfg.for_each_distinct_predecessor(BlockId(i), [&](BlockId from) { visit(from, BlockId(i), index++); });
    }
  };
  for_each_slot([&](BlockId from, BlockId to, uint32_t) {
    ++start_[from.index() + 1];
    ++count_[to.index()];
  });
  for (uint32_t b = 0; b < cfg.num_blocks(); ++b) start_[b + 1] += start_[b];
  slots_.resize(start_.back());
  std::pmr::vector<uint32_t> next(start_.begin(), start_.end() - 1, &memory);
  for_each_slot(
      [&](BlockId from, BlockId to, uint32_t index) { slots_[next[from.index()]++] = {to, index}; });
}

PhiSites::PhiSites(uint32_t num_blocks, std::span<const PhiSite> sites, std::pmr::memory_resource& memory)
    : start_(num_blocks + 1, &memory), variables_(sites.size(), &memory) {
  if (sites.empty()) return;
  for (PhiSite site : sites) ++start_[site.block.index() + 1];
  for (uint32_t b = 0; b < num_blocks; ++b) start_[b + 1] += start_[b];
  std::pmr::vector<uint32_t> next(start_.begin(), start_.end() - 1, &memory);
  for (PhiSite site : sites) variables_[next[site.block.index()]++] = site.variable;
  for (uint32_t b = 0; b < num_blocks; ++b) {
    auto first = variables_.begin() + start_[b], last = variables_.begin() + start_[b + 1];
    if (!std::is_sorted(first, last)) std::sort(first, last);
  }
}

namespace {

// Variables that may need phis, those with fewer definitions first if that helps.
std::pmr::vector<Reg> variables_to_place(const Variables& variables, const ConstructOptions& options,
                                         std::pmr::memory_resource& memory) {
  std::pmr::vector<Reg> result(&memory);
  size_t most = 0;
  for (Reg v : variables.listed()) {
    if (variables.definitions(v).empty()) continue;
    if (options.flavour != Flavour::Minimal && !variables.is_nonlocal(v)) continue;
    result.push_back(v);
    most = std::max(most, variables.definitions(v).size());
  }
  if (!options.share) return result;
  // So that subsets come before their supersets.
  std::pmr::vector<uint32_t> next(most + 2, &memory);
  for (Reg v : result) ++next[variables.definitions(v).size() + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::pmr::vector<Reg> sorted(result.size(), &memory);
  for (Reg v : result) sorted[next[variables.definitions(v).size()]++] = v;
  return sorted;
}

// Pruned, in a small function.
Placement place_in_small(const Variables& variables, Analyses& analyses, std::pmr::memory_resource& memory,
                         Counters& counters) {
  Placement result(memory);
  uint64_t with_joins = 0, without_joins = 0;
  SmallPlacement placement(analyses.get<Cfg>(), analyses.get<Dominators>());
  for (Reg variable : variables.listed()) {
    if (variables.definitions(variable).empty()) continue;
    ++(placement.place(variable, variables, result.live) ? with_joins : without_joins);
  }
  counters.add("variables without joins", without_joins);
  counters.add("worklists run", with_joins);
  return result;
}

}  // namespace

Placement place_phis(const Variables& variables, Analyses& analyses, const ConstructOptions& options,
                     std::pmr::memory_resource& memory, Counters& counters) {
  // Live ranges differ between variables, so they do not combine with sharing.
  bool use_ranges = options.flavour == Flavour::Pruned && !options.share;
  bool is_small = analyses.get<Dominators>().preorder().size() <= SmallPlacement::kMaxBlocks;
  if (options.place == PlacementAlgorithm::Auto && use_ranges && is_small) {
    return place_in_small(variables, analyses, memory, counters);
  }
  JoinSets joins(*options.place, analyses, options.share, memory);
  LiveRange range(variables, analyses.get<Cfg>(), analyses.get<Dominators>(), memory);
  uint64_t ranges_without_joins = 0;
  std::vector<BlockId> found;
  Placement result(memory);
  for (Reg variable : variables_to_place(variables, options, memory)) {
    if (use_ranges && range.find(variable)) {
      if (!range.has_join()) {
        ++ranges_without_joins;
        continue;
      }
      found.clear();
      joins.of(variables.definitions(variable), range.blocks(), found);
      for (BlockId b : found) result.live.push_back({variable, b});
    } else {
      for (BlockId b : joins.of(variables.definitions(variable))) result.joins.push_back({variable, b});
    }
  }
  if (options.share) {
    // They are ordered by the number of their definitions.
    std::sort(result.joins.begin(), result.joins.end(), [](const PhiSite& a, const PhiSite& b) {
      return std::pair(a.variable, a.block) < std::pair(b.variable, b.block);
    });
  }
  counters.add("variables without joins", ranges_without_joins);
  counters.add("worklists run", joins.run());
  counters.add("worklists shortened", joins.shortened());
  counters.add("worklists avoided", joins.avoided());
  counters.add("worklist elements", joins.elements());
  counters.add("worklist elements saved", joins.elements_saved());
  return result;
}

void prune(SiteList& sites, const Variables& variables, const Cfg& cfg, const Dominators& dominators,
           const ArgumentSlots& slots) {
  // The cost of the walk, relative to the unavoidable cost.
  constexpr uint64_t kFew = 4;
  uint64_t arguments = 0;
  for (PhiSite site : sites) arguments += slots.count(site.block);
  if (arguments <= kFew * sites.size()) {
    prune_by_walk(sites, variables, dominators, slots, cfg.num_blocks());
  } else {
    prune_by_search(sites, variables, cfg, dominators);
  }
}

}  // namespace psi::ssa
