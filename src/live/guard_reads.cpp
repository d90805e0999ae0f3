#include "live/guard_reads.h"

#include <algorithm>
#include <tuple>

#include "psi/analysis/uses.h"

namespace psi::live {

bool GuardReads::is_earlier(Point a, Point b) const {
  return std::tuple(dominators_.pre_number(a.block), a.key()) <
         std::tuple(dominators_.pre_number(b.block), b.key());
}

// Is it read whenever its block is reached?
bool GuardReads::is_executed(const Use& use) const {
  const Inst& inst = function_.inst(use.inst);
  if (!inst.is_terminator()) return use.is_guard();
  std::span<const InstId> terminators = function_.terminators(uses_.block(use.inst));
  if (terminators.front() != use.inst) return false;
  return use.is_guard() || (inst.op == Opcode::Br && use.operand == 0 && !inst.guard);
}

const std::vector<Point>& GuardReads::reads(Reg predicate) {
  auto [at, is_new] = reads_.try_emplace(predicate);
  std::vector<Point>& list = at->second;
  if (!is_new) return list;
  for (const Use& use : uses_.uses(predicate)) {
    if (!dominators_.is_reachable(uses_.block(use.inst)) || !is_executed(use)) continue;
    // Nothing is between the gap above an instruction and the instruction.
    list.push_back(use.is_guard() ? points_.gap_above(use.inst) : points_.of(use.inst));
  }
  std::sort(list.begin(), list.end(), [&](Point a, Point b) { return is_earlier(a, b); });
  size_t kept = 0;
  for (Point read : list) {
    bool is_covered = kept > 0 && (list[kept - 1] == read || points_.is_above(list[kept - 1], read));
    if (!is_covered) list[kept++] = read;
  }
  list.resize(kept);
  return list;
}

std::optional<Point> GuardReads::find(Reg predicate, Point point) {
  const std::vector<Point>& list = reads(predicate);
  auto after =
      std::upper_bound(list.begin(), list.end(), point, [&](Point a, Point b) { return is_earlier(a, b); });
  if (after == list.begin()) return std::nullopt;
  Point read = *std::prev(after);
  if (read != point && !points_.is_above(read, point)) return std::nullopt;
  return read;
}

bool GuardReads::is_sure(Reg predicate, Point point) {
  operands_.assign(1, predicate);
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (operands_.size() > kMaxOperands) return false;
    if (is_read_above(operands_[i], point)) continue;
    InstId id = uses_.definition(operands_[i]);
    if (!id || function_.inst(id).guard || !points_.is_above(points_.of(id), point)) return false;
    std::span<const Operand> operands = function_.operands(id);
    switch (function_.inst(id).op) {
      case Opcode::Freeze:
        continue;
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Not:
      case Opcode::Mov:
        break;
      case Opcode::Cmpp:
        if (!is_other_side_read(function_.inst(id), point)) return false;
        operands = operands.subspan(2, 1);
        break;
      default:
        return false;
    }
    for (Operand operand : operands) {
      if (operand.is_undef()) return false;
      if (operand.reads_reg()) operands_.push_back(operand.reg());
    }
  }
  return true;
}

// Of two complementary targets, one is defined wherever the other and the input are.
bool GuardReads::is_other_side_read(const Inst& cmpp, Point point) {
  if (!cmpp.results[1] || is_partial(cmpp.action(0)) || is_partial(cmpp.action(1))) return false;
  return is_read_above(cmpp.results[0], point) || is_read_above(cmpp.results[1], point);
}

std::optional<Point> GuardReads::first_gap(Reg predicate, Point gap, Point end) {
  if (is_sure(predicate, gap)) return gap;
  std::optional<Point> read = find(predicate, end);
  if (!read || !read->is_gap() || !points_.is_above(gap, *read)) return std::nullopt;
  return read;
}

}  // namespace psi::live
