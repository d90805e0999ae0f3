// A solver: the items that hold where blocks start or end.
#pragma once

#include <memory>

#include "live/flow_items.h"
#include "live/flow_symbols.h"
#include "live/transfer.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi::live {

class FlowEngine {
 public:
  FlowEngine(const Function& function, Analyses& analyses, FlowProblem problem)
      : function_(function),
        problem_(problem),
        cfg_(analyses.get<Cfg>()),
        order_(analyses.get<Order>()),
        items_(function, analyses, problem),
        transfer_(function, problem, items_) {}
  virtual ~FlowEngine() = default;

  // The items that hold where the block starts, or for backward problems where it ends. It must be reachable.
  virtual void enter(BlockId b, FlowState& state) = 0;
  // Of the block entered.
  virtual FlowSymbols& symbols() = 0;

  const FlowItems& items() const { return items_; }
  bool is_reachable(BlockId b) const { return order_.is_reachable(b); }
  void apply(InstId id, FlowState& state) {
    transfer_.apply(transfer_.effects(id, symbols()), symbols().algebra(), state);
  }

 protected:
  // The block's instructions, in the direction of the problem.
  template <class Visit>
  void for_each_inst(BlockId b, Visit visit) const {
    std::span<const InstId> insts = function_.insts(b);
    for (size_t i = 0; i < insts.size(); ++i) {
      visit(is_backward(problem_) ? insts[insts.size() - 1 - i] : insts[i]);
    }
  }

  // Iterates over blocks to a fixpoint, in the order in which most edges go. `update(b)` returns whether the
  // set at the block's far end has changed.
  template <class Update>
  void iterate(Update update) {
    bool backward = is_backward(problem_);
    uint32_t rows = order_.num_reachable();
    std::vector<uint8_t> waiting(rows, 1);
    for (uint32_t num_waiting = rows; num_waiting > 0;) {
      for (uint32_t i = 0; i < rows; ++i) {
        uint32_t row = backward ? rows - 1 - i : i;
        if (!waiting[row]) continue;
        waiting[row] = 0;
        --num_waiting;
        BlockId b = order_.reverse_post_order()[row];
        if (!update(b)) continue;
        for (BlockId next : backward ? cfg_.predecessors(b) : cfg_.successors(b)) {
          uint32_t to = order_.number(next);
          if (to == Order::kUnreachable || waiting[to]) continue;
          waiting[to] = 1;
          ++num_waiting;
        }
      }
    }
  }

  const Function& function_;
  const FlowProblem problem_;
  const Cfg& cfg_;
  const Order& order_;
  FlowItems items_;
  Transfer transfer_;
};

// Blind and Local; Global.
std::unique_ptr<FlowEngine> make_block_flow(const Function& function, Analyses& analyses, FlowProblem problem,
                                            FlowScope scope);
std::unique_ptr<FlowEngine> make_global_flow(const Function& function, Analyses& analyses,
                                             FlowProblem problem);

}  // namespace psi::live
