// The analyses of one function, computed when first asked for and kept until the function changes.
#pragma once

#include <cstdint>
#include <optional>

#include "psi/augmented_tree.h"
#include "psi/cfg.h"
#include "psi/control_dependence.h"
#include "psi/dj_graph.h"
#include "psi/dominators.h"
#include "psi/frequencies.h"
#include "psi/frontiers.h"
#include "psi/liveness.h"
#include "psi/loops.h"
#include "psi/order.h"
#include "psi/post_dominators.h"
#include "psi/uses.h"

namespace psi {

// Which analyses a pass leaves valid.
enum class Keeps : uint8_t {
  Nothing,
  ControlFlow,  // those of the graph of blocks: all but uses and liveness
  All,
};

class Analyses {
 public:
  explicit Analyses(const Function& function) : function_(function) {}
  // Some refer to others.
  Analyses(const Analyses&) = delete;
  Analyses& operator=(const Analyses&) = delete;

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
  const DjGraph& dj_graph() {
    if (!dj_graph_) dj_graph_.emplace(cfg(), dominators());
    return *dj_graph_;
  }
  // With the usual beta.
  const AugmentedTree& augmented_tree() {
    if (!augmented_tree_) augmented_tree_.emplace(cfg(), dominators());
    return *augmented_tree_;
  }

  const PostDominators& post_dominators() {
    if (!post_dominators_) post_dominators_.emplace(function_, cfg(), order());
    return *post_dominators_;
  }
  const DominanceFrontiers& frontiers() {
    if (!frontiers_) frontiers_.emplace(cfg(), dominators());
    return *frontiers_;
  }
  const Loops& loops() {
    if (!loops_) loops_.emplace(cfg(), order());
    return *loops_;
  }
  const ControlDependence& control_dependence() {
    if (!control_dependence_) control_dependence_.emplace(cfg(), post_dominators());
    return *control_dependence_;
  }
  const Frequencies& frequencies() {
    if (!frequencies_) frequencies_.emplace(function_, cfg(), order(), loops());
    return *frequencies_;
  }
  const Uses& uses() {
    if (!uses_) uses_.emplace(function_);
    return *uses_;
  }
  // By the default rules.
  const Liveness& liveness() {
    if (!liveness_) liveness_.emplace(function_, cfg(), order());
    return *liveness_;
  }
  // For SSA forms. It learns with every question, so it is not const.
  LivenessQuery& liveness_query() {
    if (!liveness_query_) liveness_query_.emplace(function_, cfg(), dominators(), uses());
    return *liveness_query_;
  }

  // To be called when the function has changed.
  void drop(Keeps keeps) {
    if (keeps == Keeps::All) return;
    liveness_query_.reset();
    liveness_.reset();
    uses_.reset();
    if (keeps == Keeps::ControlFlow) return;
    frequencies_.reset();
    control_dependence_.reset();
    loops_.reset();
    frontiers_.reset();
    post_dominators_.reset();
    augmented_tree_.reset();
    dj_graph_.reset();
    dominators_.reset();
    order_.reset();
    cfg_.reset();
  }

 private:
  const Function& function_;
  std::optional<Cfg> cfg_;
  std::optional<Order> order_;
  std::optional<Dominators> dominators_;
  std::optional<DjGraph> dj_graph_;
  std::optional<AugmentedTree> augmented_tree_;
  std::optional<PostDominators> post_dominators_;
  std::optional<DominanceFrontiers> frontiers_;
  std::optional<Loops> loops_;
  std::optional<ControlDependence> control_dependence_;
  std::optional<Frequencies> frequencies_;
  std::optional<Uses> uses_;
  std::optional<Liveness> liveness_;
  std::optional<LivenessQuery> liveness_query_;
};

}  // namespace psi
