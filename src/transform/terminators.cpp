#include "transform/terminators.h"

#include <algorithm>
#include <array>
#include <utility>

namespace psi::transform {

void TerminatorFolding::jump(InstId id, BlockId target) {
  Inst& inst = function_.inst(id);
  inst.op = Opcode::Br;
  inst.type = Type::none;
  function_.set_operands(id, std::array{Operand::block(target)});
  function_.set_edge_counts(id, {});
}

bool TerminatorFolding::fold_one(InstId id) {
  const Inst& inst = function_.inst(id);
  std::span<const Operand> operands = std::as_const(function_).operands(id);
  if (inst.op == Opcode::Br && operands.size() == 3) {
    if (operands[0].is_literal()) {
      jump(id, operands[function_.literal_bits(operands[0]) ? 1 : 2].block());
      return true;
    }
    // To branch on undef is undefined behaviour, so any way will do.
    if (operands[0].is_undef() || operands[1] == operands[2]) {
      jump(id, operands[1].block());
      return true;
    }
  }
  if (inst.op == Opcode::Switch) {
    BlockId target = operands[1].block();
    if (operands[0].is_literal()) {
      for (size_t i = 2; i < operands.size(); i += 2) {
        if (function_.literal_bits(operands[i]) != function_.literal_bits(operands[0])) continue;
        target = operands[i + 1].block();
        break;
      }
    } else if (!operands[0].is_undef()) {
      for (size_t i = 3; i < operands.size(); i += 2) {
        if (operands[i] != operands[1]) return false;
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
    if (!std::ranges::binary_search(now_, target)) gone_.push_back({b, target});
  }
}

void TerminatorFolding::finish() {
  std::ranges::sort(
      gone_, [](const Gone& a, const Gone& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
  std::span<const Gone> rest = gone_;
  while (!rest.empty()) {
    size_t count = 1;
    while (count < rest.size() && rest[count].to == rest[0].to) ++count;
    drop_entries(rest.first(count));
    rest = rest.subspan(count);
  }
  gone_.clear();
}

// All to the same block, sorted by where they come from.
void TerminatorFolding::drop_entries(std::span<const Gone> gone) {
  for (InstId id : function_.insts(gone[0].to)) {
    if (!function_.inst(id).is_phi()) break;
    std::span<const Operand> pairs = std::as_const(function_).operands(id);
    pairs_.clear();
    for (size_t i = 0; i < pairs.size(); i += 2) {
      if (!std::ranges::binary_search(gone, pairs[i].block(), {}, &Gone::from)) {
        pairs_.insert(pairs_.end(), {pairs[i], pairs[i + 1]});
      }
    }
    if (pairs_.size() < pairs.size()) function_.set_operands(id, pairs_);
  }
}

}  // namespace psi::transform
