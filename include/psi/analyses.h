// The analyses of one function, computed when first asked for and kept until the function changes.
#pragma once

#include <cstdint>
#include <optional>

#include "psi/cfg.h"
#include "psi/dominators.h"
#include "psi/order.h"

namespace psi {

// Which analyses a pass leaves valid.
enum class Keeps : uint8_t {
  Nothing,
  ControlFlow,  // those of the graph of blocks: cfg, order, dominators
  All,
};

class Analyses {
 public:
  explicit Analyses(const Function& function) : function_(function) {}

  const Cfg& cfg() {
    if (!cfg_) cfg_.emplace(function_);
    return *cfg_;
  }
  const Order& order() {
    if (!order_) order_.emplace(cfg());
    return *order_;
  }
  const Dominators& dominators() {
    if (!dominators_) dominators_.emplace(cfg());
    return *dominators_;
  }

  // To be called when the function has changed.
  void drop(Keeps keeps) {
    if (keeps != Keeps::Nothing) return;
    dominators_.reset();
    order_.reset();
    cfg_.reset();
  }

 private:
  const Function& function_;
  std::optional<Cfg> cfg_;
  std::optional<Order> order_;
  std::optional<Dominators> dominators_;
};

}  // namespace psi
