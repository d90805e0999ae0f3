#include "psi/live/predicate_flow.h"

#include <utility>

#include "live/flow_engine.h"

namespace psi {

using live::FlowEngine;

void FlowState::set(uint32_t item, PredicateExpr where) {
  uint32_t& place = place_[item];
  if (!where.empty() && place != kAbsent) {
    entries_[place].where = std::move(where);
  } else if (!where.empty()) {
    place = static_cast<uint32_t>(entries_.size());
    entries_.push_back({item, std::move(where)});
  } else if (place != kAbsent) {
    place_[entries_.back().item] = place;
    std::swap(entries_[place], entries_.back());
    entries_.pop_back();
    place = kAbsent;
  }
}

void FlowState::clear() {
  for (const Entry& entry : entries_) place_[entry.item] = kAbsent;
  entries_.clear();
}

PredicateFlow::PredicateFlow(const Function& function, Analyses& analyses, FlowProblem problem,
                             FlowScope scope)
    : function_(&function),
      backward_(is_backward(problem)),
      engine_(scope == FlowScope::Global ? live::make_global_flow(function, analyses, problem)
                                         : live::make_block_flow(function, analyses, problem, scope)),
      state_(engine_->items().size()) {}

PredicateFlow::~PredicateFlow() = default;
PredicateFlow::PredicateFlow(PredicateFlow&&) noexcept = default;
PredicateFlow& PredicateFlow::operator=(PredicateFlow&&) noexcept = default;

std::span<const FlowItem> PredicateFlow::items() const { return engine_->items().all(); }

void PredicateFlow::enter(BlockId b) {
  block_ = b;
  position_ = backward_ ? static_cast<uint32_t>(function_->insts(b).size()) : 0;
  state_.clear();
  if (engine_->is_reachable(b)) engine_->enter(b, state_);
}

bool PredicateFlow::advance() {
  std::span<const InstId> insts = function_->insts(block_);
  if (position_ == (backward_ ? 0 : insts.size())) return false;
  InstId id = backward_ ? insts[--position_] : insts[position_++];
  if (engine_->is_reachable(block_)) engine_->apply(id, state_);
  return true;
}

PartitionGraph& PredicateFlow::graph() { return engine_->symbols().graph(); }
const PredicateAlgebra& PredicateFlow::algebra() { return engine_->symbols().algebra(); }
Predicates* PredicateFlow::predicates() {
  return engine_->is_reachable(block_) ? engine_->symbols().predicates() : nullptr;
}
Symbol PredicateFlow::at_most(Term term) { return engine_->symbols().at_most(term); }

Symbol PredicateFlow::written(InstId id, uint32_t target) {
  live::Accesses& accesses = engine_->symbols().accesses();
  accesses.look_at(id);
  return at_most(accesses.writes()[target].makes);
}

}  // namespace psi
