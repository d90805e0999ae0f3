#include "select/legalise/computed.h"

#include <algorithm>

namespace psi::select {

bool ComputedValues::is_kept(const Inst& inst) const {
  auto is_held = [&](Type type) { return type == Type::none || held_[static_cast<size_t>(type)]; };
  if (!is_held(inst.type) || (inst.format() == Format::Convert && !is_held(inst.from()))) return false;
  return inst.is_pure() && !inst.guard && inst.num_results() == 1 && inst.op != Opcode::Freeze &&
         inst.op != Opcode::Mov && inst.op != Opcode::Phi && inst.op != Opcode::Psi;
}

uint64_t ComputedValues::hash(const Inst& inst, std::span<const Operand> operands) {
  uint64_t hash =
      static_cast<uint64_t>(inst.op) | static_cast<uint64_t>(inst.type) << 8 | uint64_t{inst.kind} << 16;
  for (Operand operand : operands) {
    hash = (hash ^ operand.raw()) * 0x9e37'79b9'7f4a'7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

Operand ComputedValues::find(const Inst& inst, std::span<const Operand> operands) const {
  if (!is_kept(inst)) return {};
  auto it = entries_.find(hash(inst, operands));
  if (it == entries_.end()) return {};
  const Inst& known = function_.inst(it->second.inst);
  bool is_same = known.op == inst.op && known.type == inst.type && known.kind == inst.kind &&
                 known.flags == inst.flags && std::ranges::equal(function_.operands(known), operands);
  if (!is_same) return {};
  BlockId from = it->second.block;
  bool is_above = from == block_ || (dominators_.is_reachable(block_) && dominators_.dominates(from, block_));
  return is_above ? Operand(known.results[0]) : Operand();
}

void ComputedValues::add(InstId id) {
  const Inst& inst = function_.inst(id);
  if (!is_kept(inst)) return;
  Entry& entry = entries_[hash(inst, function_.operands(inst))];
  // One that is above stays: it serves more blocks.
  bool is_better = entry.inst && entry.block != block_ && dominators_.is_reachable(block_) &&
                   dominators_.dominates(entry.block, block_);
  if (!is_better) entry = {id, block_};
}

}  // namespace psi::select
