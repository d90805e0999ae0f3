// The reachable blocks, in an order in which each comes after its dominators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/pass/analyses.h"

namespace psi {

class Order {
 public:
  static constexpr uint32_t kUnreachable = UINT32_MAX;

  // Linear; a depth-first search with its own stack.
  explicit Order(const Cfg& cfg);
  static constexpr Keeps kHoldsWith = Keeps::ControlFlow;
  Order(const Function&, Analyses& analyses) : Order(analyses.get<Cfg>()) {}

  // The reachable blocks, entry first: every edge goes forward in it, except those to a block that the search
  // is still visiting.
  std::span<const BlockId> reverse_post_order() const { return order_; }
  uint32_t num_reachable() const { return static_cast<uint32_t>(order_.size()); }
  bool is_reachable(BlockId b) const { return number_[b.index()] != kUnreachable; }
  // The position in reverse post-order; kUnreachable for other blocks.
  uint32_t number(BlockId b) const { return number_[b.index()]; }
  // The position in post-order; kUnreachable for other blocks.
  uint32_t post_number(BlockId b) const {
    return is_reachable(b) ? num_reachable() - 1 - number(b) : kUnreachable;
  }

  bool operator==(const Order&) const = default;

 private:
  std::vector<BlockId> order_;
  std::vector<uint32_t> number_;  // by BlockId
};

}  // namespace psi
