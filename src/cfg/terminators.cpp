#include "cfg/terminators.h"

#include <algorithm>
#include <array>
#include <utility>

#include "psi/ir/views.h"

namespace psi::cfg {

void TerminatorFolding::jump(InstId id, BlockId target) {
  Inst& inst = function_.inst(id);
  inst.op = Opcode::Br;
  inst.type = Type::none;
  function_.set_operands(id, std::array{Operand::block(target)});
  function_.set_edge_counts(id, {});
}

bool TerminatorFolding::fold_one(InstId id) {
  const Inst& inst = function_.inst(id);
  if (inst.is_branch()) {
    BranchView branch = as_branch(function_, inst);
    if (branch.condition.is_literal()) {
      jump(id, branch.target(branch.condition == Operand::always()));
      return true;
    }
    // Branching on undef is undefined behaviour, so any target is valid.
    if (branch.condition.is_undef() || branch.then == branch.otherwise) {
      jump(id, branch.then);
      return true;
    }
  }
  if (inst.op == Opcode::Switch) {
    SwitchView choice = as_switch(function_, inst);
    BlockId target = choice.otherwise;
    if (choice.value.is_literal()) {
      for (SwitchCase one : choice.cases) {
        if (function_.literal_bits(one.literal) != function_.literal_bits(choice.value)) continue;
        target = one.target;
        break;
      }
    } else if (!choice.value.is_undef()) {
      for (SwitchCase one : choice.cases) {
        if (one.target != choice.otherwise) return false;
      }
    }
    jump(id, target);
    return true;
  }
  return false;
}

bool TerminatorFolding::fold(BlockId b) {
  targets_.clear();
  function_.for_each_successor(b, [&](BlockId target) { targets_.push_back(target); });
  bool changed = false;
  size_t kept = function_.insts(b).size() - function_.terminators(b).size();
  for (InstId id : function_.terminators(b)) {
    ++kept;
    changed |= fold_one(id);
    if (function_.inst(id).guard.is_always()) break;
  }
  if (kept < function_.insts(b).size()) {
    kept_.assign(function_.insts(b).begin(), function_.insts(b).begin() + static_cast<ptrdiff_t>(kept));
    function_.set_insts(b, kept_);
    changed = true;
  }
  if (changed) drop_edges(b, targets_);
  return changed;
}

void TerminatorFolding::drop_edges(BlockId b, std::span<const BlockId> old_targets) {
  now_.clear();
  function_.for_each_successor(b, [&](BlockId target) { now_.push_back(target); });
  std::ranges::sort(now_);
  for (BlockId target : old_targets) {
    if (!std::ranges::binary_search(now_, target)) dropped_.push_back({b, target});
  }
}

void TerminatorFolding::finish() {
  std::ranges::sort(dropped_, [](const DroppedEdge& a, const DroppedEdge& b) {
    return a.to != b.to ? a.to < b.to : a.from < b.from;
  });
  std::span<const DroppedEdge> rest = dropped_;
  while (!rest.empty()) {
    size_t count = 1;
    while (count < rest.size() && rest[count].to == rest[0].to) ++count;
    drop_entries(rest.first(count));
    rest = rest.subspan(count);
  }
  dropped_.clear();
}

// All to the same block, sorted by where they come from.
void TerminatorFolding::drop_entries(std::span<const DroppedEdge> dropped) {
  for (InstId id : function_.insts(dropped[0].to)) {
    if (!function_.inst(id).is_phi()) break;
    drop_phi_entries(function_, id, [&](BlockId from) {
      return std::ranges::binary_search(dropped, from, {}, &DroppedEdge::from);
    });
  }
}

}  // namespace psi::cfg
