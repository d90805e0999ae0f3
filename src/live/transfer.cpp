// The schemata of figure 8 of the paper, and their analogues for the other problems. Backward, definitions
// come before uses; forward, uses before definitions.

#include "live/transfer.h"

namespace psi::live {

std::span<const Transfer::Effect> Transfer::effects(InstId id, FlowSymbols& symbols) {
  symbols.accesses().look_at(id);
  effects_.clear();
  switch (problem_) {
    case FlowProblem::Liveness:
    case FlowProblem::UpwardExposedUses:
      add_ends(symbols);
      add_reads(id, symbols);
      break;
    case FlowProblem::DownwardExposedUses:
      add_reads(id, symbols);
      add_ends(symbols);
      break;
    case FlowProblem::ReachingDefinitions:
      add_ends(symbols);
      for (const Write& write : symbols.accesses().writes()) {
        hold(items_.of_definition(id, write.target), symbols.at_most(write.makes));
      }
      break;
    case FlowProblem::AvailableExpressions:
      if (uint32_t item = items_.of_expression(id); item != FlowItems::kNone) {
        hold(item, symbols.at_least(symbols.accesses().executes_at_least()));
      }
      add_ends(symbols);
      break;
  }
  return effects_;
}

void Transfer::add_reads(InstId id, FlowSymbols& symbols) {
  for (const Read& read : symbols.accesses().reads()) {
    if (read.operand == Read::kOldContents && problem_ != FlowProblem::Liveness) continue;
    hold(items_.of_read(id, read.operand, read.reg), symbols.at_most(read.where));
  }
}

void Transfer::add_ends(FlowSymbols& symbols) {
  for (const Write& write : symbols.accesses().writes()) {
    end(write.reg,
        is_must(problem_) ? symbols.at_most(write.ends_at_most) : symbols.at_least(write.ends_at_least));
  }
}

void Transfer::apply(std::span<const Effect> effects, const PredicateAlgebra& algebra, FlowState& state) {
  for (const Effect& effect : effects) {
    if (!effect.ends) {
      state.set(effect.item, algebra.lub_sum(effect.where, state[effect.item]));
      continue;
    }
    // Go over all items of the register or over all that hold, whichever are fewer.
    ended_.clear();
    std::span<const uint32_t> about = items_.about(effect.ends);
    if (about.size() <= state.entries().size()) {
      for (uint32_t item : about) {
        if (state.contains(item)) ended_.push_back(item);
      }
    } else {
      for (const FlowState::Entry& entry : state.entries()) {
        if (items_.is_about(entry.item, effect.ends)) ended_.push_back(entry.item);
      }
    }
    for (uint32_t item : ended_) state.set(item, without(state[item], effect.where, algebra));
  }
}

}  // namespace psi::live
