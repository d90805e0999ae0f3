#include "live/flow_symbols.h"

namespace psi::live {
namespace {

// An expression takes a bit for each symbol. Beyond this many, new terms get no symbols, so that the cost of
// an operation is bounded.
constexpr uint32_t kMaxSymbols = 4096;

}  // namespace

FlowSymbols::FlowSymbols(const Function& function)
    : accesses_(function), graph_(no_terms_), algebra_(graph_) {}

FlowSymbols::FlowSymbols(const Function& function, BlockId block)
    : of_block_(std::in_place, function, block),
      predicates_(&of_block_->predicates()),
      accesses_(function, *predicates_, block),
      graph_(predicates_->terms()),
      algebra_(graph_) {}

FlowSymbols::FlowSymbols(const Function& function, GuardFacts& facts)
    : predicates_(&facts.predicates()),
      accesses_(function, *predicates_),
      graph_(predicates_->terms()),
      algebra_(graph_) {}

std::optional<Symbol> FlowSymbols::find(Term term) {
  if (term == Term::always()) return PartitionGraph::root();
  if (term == Term::never()) return Symbol();
  auto at = symbols_.find(term.raw());
  if (at != symbols_.end()) return at->second;
  if (graph_.num_symbols() >= kMaxSymbols) return std::nullopt;
  return symbols_[term.raw()] = graph_.symbol(term);
}

bool has_predicates(const Function& function, BlockId block) {
  for (InstId id : function.insts(block)) {
    const Inst& inst = function.inst(id);
    if (inst.guard || inst.is_psi() || inst.op == Opcode::Cmpp) return true;
  }
  return false;
}

}  // namespace psi::live
