#include "live/points.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <tuple>

#include "psi/ir/edits.h"

namespace psi::live {

Point Points::gap_below(Point point) const {
  if (point.is_gap() && point.index > 0) return {point.block, point.index};
  std::span<const InstId> insts = function_.insts(point.block);
  uint32_t position = (point.index + 1) / 2;
  while (function_.inst(insts[position]).is_phi()) ++position;
  return {point.block, 2 * position};
}

void Points::insert(Point at, InstId inst) {
  // Phis stay at the head of their block.
  assert(!function_.inst(function_.insts(at.block)[at.index / 2]).is_phi());
  insertions_.push_back({at, inst});
}

void Points::apply() {
  std::sort(insertions_.begin(), insertions_.end(), [](const Insertion& a, const Insertion& b) {
    return std::tuple(a.at.block, a.at.key()) < std::tuple(b.at.block, b.at.key());
  });
  BlockEdits edits;
  for (size_t i = 0; i < insertions_.size(); ++i) {
    Point at = insertions_[i].at;
    edits.insert_before(at.index / 2, insertions_[i].inst);
    bool is_last = i + 1 == insertions_.size() || insertions_[i + 1].at.block != at.block;
    if (is_last) edits.apply(function_, at.block);
  }
  insertions_.clear();
}

InstId make_copy(Function& function, Operand source, Guard guard, Reg result) {
  Inst inst;
  inst.op = Opcode::Mov;
  inst.type = function.type(result);
  inst.guard = guard;
  inst.results[0] = result;
  return function.add_inst(inst, std::array{source});
}

InstId make_freeze(Function& function, Reg source, Reg result) {
  Inst inst;
  inst.op = Opcode::Freeze;
  inst.type = function.type(result);
  inst.results[0] = result;
  return function.add_inst(inst, std::array{Operand::reg(source)});
}

Reg like(Function& function, Reg r) {
  std::string name(function.name(r));
  return function.add_reg(function.type(r), name);
}

}  // namespace psi::live
