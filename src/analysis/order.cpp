#include "psi/analysis/order.h"

#include <algorithm>

#include "psi/analysis/cfg.h"

namespace psi {

Order::Order(const Cfg& cfg) : number_(cfg.num_blocks(), kUnreachable) {
  if (!cfg.entry()) return;

  struct Visit {
    BlockId block;
    uint32_t next;  // the successor to look at next
  };
  std::vector<Visit> stack;
  // Until its final number is known, any other value than kUnreachable marks a block as seen.
  number_[cfg.entry().index()] = 0;
  stack.push_back({cfg.entry(), 0});
  while (!stack.empty()) {
    Visit& top = stack.back();
    std::span<const BlockId> successors = cfg.successors(top.block);
    if (top.next == successors.size()) {
      order_.push_back(top.block);
      stack.pop_back();
      continue;
    }
    BlockId to = successors[top.next++];
    if (number_[to.index()] != kUnreachable) continue;
    number_[to.index()] = 0;
    stack.push_back({to, 0});
  }

  std::reverse(order_.begin(), order_.end());
  for (uint32_t i = 0; i < order_.size(); ++i) number_[order_[i].index()] = i;
}

}  // namespace psi
