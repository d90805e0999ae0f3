#include "predication/if_convert/region_exits.h"

#include <algorithm>
#include <utility>

#include "psi/ir/views.h"

namespace psi::predication {

void RegionExits::leave() {
  returned_.resize(graph_.num_nodes());
  from_.assign(graph_.num_nodes(), graph_.block(0));
  merge_values();
  emit();
  for (uint32_t n = 1; n < graph_.num_blocks(); ++n) function_.set_insts(graph_.block(n), {});
  redirect_phis();
}

// --- Values -----------------------------------------------------------------------------------------------

void RegionExits::merge_values() {
  for (uint32_t n : graph_.exits()) {
    if (graph_.block(n) && is_entered_from_region_only(n)) {
      absorb_phis(n);
      continue;
    }
    for (const Merge& merge : merges_.of(n)) {
      Operand value = psis_.value(merge);
      if (merge.phi) {
        entries_.push_back({n, merge.phi, value});
      } else {
        returned_[n] = value;
      }
    }
  }
}

bool RegionExits::is_entered_from_region_only(uint32_t exit) const {
  std::span<const BlockId> from = cfg_.predecessors(graph_.block(exit));
  return std::ranges::all_of(from, [&](BlockId b) { return merges_.node(b) != RegionGraph::kNone; });
}

// The phis of an exit without other predecessors become psis in the region.
void RegionExits::absorb_phis(uint32_t exit) {
  BlockId b = graph_.block(exit);
  for (const Merge& merge : merges_.of(exit)) psis_.define(merge);
  std::span<const InstId> left = function_.insts(b).subspan(merges_.of(exit).size());
  std::vector<InstId> rest(left.begin(), left.end());
  function_.set_insts(b, rest);
}

// Phi entries for blocks of the region become entries for its exit block.
void RegionExits::redirect_phis() {
  std::vector<Operand> pairs;
  for (const Entry& entry : entries_) {
    pairs.clear();
    for (PhiEntry old : phi_entries(function_, entry.phi)) {
      if (merges_.node(old.block) == RegionGraph::kNone) add_phi_entry(pairs, old);
    }
    add_phi_entry(pairs, from_[entry.node], entry.value);
    function_.set_operands(entry.phi, pairs);
  }
}

// --- Terminators ------------------------------------------------------------------------------------------

void RegionExits::emit() {
  builder_.guard(Guard());
  std::span<const uint32_t> exits = graph_.exits();
  uint32_t last = exits.back();
  if (exits.size() == 2 && graph_.block(exits[0]) && graph_.block(last)) {
    return branch(predicates_.guard(classes_.of_node(exits[0])), graph_.block(exits[0]), graph_.block(last));
  }
  bool can_guard = target_.can_guard(Opcode::Br);
  for (uint32_t n : exits.first(exits.size() - 1)) {
    Guard guard = predicates_.guard(classes_.of_node(n));
    if (can_guard) {
      builder_.guard(guard);
      leave_by(n);
      continue;
    }
    // A chain of blocks, each of which leaves by one exit.
    BlockId target = graph_.block(n), next = function_.add_block();
    if (!target) target = return_block(n);
    from_[n] = builder_.block();
    branch(guard, target, next);
    builder_.at(next);
  }
  builder_.guard(Guard());
  from_[last] = builder_.block();
  leave_by(last);
}

void RegionExits::leave_by(uint32_t node) {
  if (BlockId target = graph_.block(node)) {
    builder_.br(target);
  } else {
    builder_.ret(returned_[node]);
  }
}

void RegionExits::branch(Guard guard, BlockId then, BlockId otherwise) {
  if (guard.is_negated()) std::swap(then, otherwise);
  builder_.br(Operand::reg(guard.reg()), then, otherwise);
  ++branches_;
}

BlockId RegionExits::return_block(uint32_t node) {
  BlockId from = builder_.block(), b = function_.add_block();
  builder_.at(b);
  leave_by(node);
  builder_.at(from);
  return b;
}

}  // namespace psi::predication
