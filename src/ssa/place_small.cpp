#include "ssa/place_small.h"

#include <algorithm>
#include <bit>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"

namespace psi::ssa {
namespace {

// Takes the first element out of a set.
uint32_t take_first(uint64_t& set) {
  uint32_t first = static_cast<uint32_t>(std::countr_zero(set));
  set &= set - 1;
  return first;
}

}  // namespace

SmallPlacement::SmallPlacement(const Cfg& cfg, const Dominators& dominators) : dominators_(dominators) {
  std::span<const BlockId> preorder = dominators.preorder();
  std::fill_n(frontier_.begin(), preorder.size(), Set{0});
  for (uint32_t n = 0; n < preorder.size(); ++n) {
    std::span<const BlockId> predecessors = cfg.predecessors(preorder[n]);
    Set from = 0;
    for (BlockId p : predecessors) {
      if (dominators.is_reachable(p)) from |= Set{1} << dominators.pre_number(p);
    }
    predecessors_[n] = from;
    // Up from each predecessor to the immediate dominator, until a block visited before.
    BlockId idom = dominators.idom(preorder[n]);
    while (from != 0) {
      for (BlockId b = preorder[take_first(from)]; b != idom; b = dominators.idom(b)) {
        Set& frontier = frontier_[dominators.pre_number(b)];
        if (frontier >> n & 1) break;
        frontier |= Set{1} << n;
      }
    }
  }
}

bool SmallPlacement::place(Reg variable, const Variables& variables, SiteList& sites) const {
  const Set definitions = set_of(variables.definitions(variable));
  Set joins = 0;
  for (Set work = definitions; work != 0;) {
    Set found = frontier_[take_first(work)] & ~joins;
    joins |= found;
    work |= found;
  }
  if (joins == 0) return false;
  // The blocks at whose start it is live.
  Set live = set_of(variables.exposures(variable));
  for (Set work = live; work != 0;) {
    Set found = predecessors_[take_first(work)] & ~definitions & ~live;
    live |= found;
    work |= found;
  }
  for (Set places = joins & live; places != 0;) {
    sites.push_back({variable, dominators_.preorder()[take_first(places)]});
  }
  return true;
}

SmallPlacement::Set SmallPlacement::set_of(std::span<const BlockId> blocks) const {
  Set set = 0;
  for (BlockId b : blocks) set |= Set{1} << dominators_.pre_number(b);
  return set;
}

}  // namespace psi::ssa
