#include "predication/if_convert/merges.h"

#include <algorithm>
#include <utility>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::predication {

Merges::Merges(const Function& function, const Uses& uses, const RegionGraph& graph,
               const ControlClasses& classes)
    : function_(function), uses_(uses), graph_(graph), classes_(classes) {
  for (uint32_t n = 0; n < graph.num_blocks(); ++n) node_.emplace(graph.block(n).index(), n);
  first_.push_back(0);
  for (uint32_t n = 0; n < graph.num_nodes(); ++n) {
    if (n > 0) find(n);
    first_.push_back(static_cast<uint32_t>(merges_.size()));
  }
}

uint32_t Merges::node(BlockId b) const {
  auto at = node_.find(b.index());
  return at == node_.end() ? RegionGraph::kNone : at->second;
}

void Merges::find(uint32_t node) {
  BlockId b = graph_.block(node);
  if (!b) {
    if (!graph_.is_return(node)) return;
    Type type = function_.signature.result;
    if (type == Type::none) return;
    begin(InstId(), type);
    for (uint32_t e : graph_.incoming(node)) {
      BlockId from = graph_.block(graph_.edges()[e].from);
      add(e, returned(function_, function_.terminators(from).back()));
    }
    finish();
    return;
  }
  for (InstId id : function_.insts(b)) {
    if (!function_.inst(id).is_phi()) break;
    begin(id, function_.inst(id).type);
    values_.clear();
    for (auto [block, value] : phi_entries(function_, id)) {
      uint32_t from = this->node(block);
      if (from != RegionGraph::kNone) values_[from] = value;
    }
    for (uint32_t e : graph_.incoming(node)) add(e, values_.at(graph_.edges()[e].from));
    finish();
  }
}

void Merges::begin(InstId phi, Type type) {
  merges_.push_back({phi, type, static_cast<uint32_t>(arguments_.size())});
}

// Undef may become any value, so also that of the others.
void Merges::add(uint32_t edge, Operand value) {
  if (value.is_undef()) {
    merges_.back().is_partial = true;
    return;
  }
  MergeArgument argument{classes_.of_edge(edge), value, is_partial(value), 0, edge};
  if (value.is_reg()) {
    InstId definition = uses_.definition(value.reg());
    uint32_t from = definition ? node(uses_.block(definition)) : RegionGraph::kNone;
    if (from != RegionGraph::kNone) argument.origin = from;
  }
  arguments_.push_back(argument);
}

// A psi takes a value only where it is defined, and a guarded definition may be undefined there.
bool Merges::is_partial(Operand value) const {
  if (!value.is_reg()) return false;
  InstId definition = uses_.definition(value.reg());
  if (!definition) return false;
  const Inst& inst = function_.inst(definition);
  return inst.guard || inst.is_psi();
}

// By another phi or psi.
bool Merges::is_merged(InstId phi) const {
  return std::ranges::any_of(uses_.uses(function_.inst(phi).results[0]), [&](const Use& use) {
    const Inst& user = function_.inst(use.inst);
    return user.is_phi() || user.is_psi();
  });
}

void Merges::finish() {
  Merge& merge = merges_.back();
  auto first = arguments_.begin() + merge.first;
  std::sort(first, arguments_.end(), [](const MergeArgument& a, const MergeArgument& b) {
    return std::pair(a.origin, a.edge) < std::pair(b.origin, b.edge);
  });
  if (first != arguments_.end()) {
    Operand value = first->value;
    bool is_same =
        std::all_of(first, arguments_.end(), [&](const MergeArgument& a) { return a.value == value; });
    // A value from before the region is the default.
    if (is_same || first->origin == 0) {
      first->of_class = ControlClasses::kAlways;
      arguments_.erase(std::remove_if(first + 1, arguments_.end(),
                                      [&](const MergeArgument& a) { return a.value == value; }),
                       arguments_.end());
    }
  }
  merge.end = static_cast<uint32_t>(arguments_.size());
  bool is_total = first == arguments_.end() || first->of_class == ControlClasses::kAlways;
  merge.is_partial = merge.is_partial && !is_total && merge.phi && is_merged(merge.phi);
}

}  // namespace psi::predication
