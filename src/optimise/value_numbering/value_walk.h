// A walk down the dominator tree, in scopes. Siblings are visited in reverse post-order, so all predecessors
// of a block except back edges come before it.
#pragma once

#include <span>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::optimise {

// enter(BlockId) at each block, before all below it; leave() after them. All blocks must be reachable.
template <class Enter, class Leave>
void walk_dominators(const Function& function, Analyses& analyses, Enter enter, Leave leave) {
  const Dominators& dominators = analyses.get<Dominators>();
  std::vector<BlockId> first_child(function.num_blocks()), next(function.num_blocks());
  std::span<const BlockId> order = analyses.get<Order>().reverse_post_order();
  for (size_t i = order.size(); i > 1; --i) {
    BlockId& first = first_child[dominators.idom(order[i - 1]).index()];
    next[order[i - 1].index()] = first;
    first = order[i - 1];
  }
  std::vector<BlockId> next_child;  // of each block that was entered and not left
  auto go_into = [&](BlockId b) {
    next_child.push_back(first_child[b.index()]);
    enter(b);
  };
  go_into(function.entry());
  while (!next_child.empty()) {
    BlockId b = next_child.back();
    if (b) {
      next_child.back() = next[b.index()];
      go_into(b);
    } else {
      leave();
      next_child.pop_back();
    }
  }
}

}  // namespace psi::optimise
