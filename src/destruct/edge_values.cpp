#include "destruct/edge_values.h"

namespace psi::destruction {
namespace {

// So many branches above are asked.
constexpr int kMaxBranches = 8;

}  // namespace

// What holds on an edge holds wherever the block it leads to, if no other edge does, dominates: a value does
// not change without a path that leads through the edge again.
Reg EdgeValues::find(BlockId from, BlockId to, Operand literal) const {
  for (int i = 0; i < kMaxBranches && from; ++i) {
    if (Reg known = told_by_branch(from, to, literal)) return known;
    to = from;
    while (to && cfg_.predecessors(to).size() != 1) to = dominators_.idom(to);
    if (!to) break;
    from = cfg_.predecessors(to).front();
  }
  return Reg();
}

Reg EdgeValues::told_by_branch(BlockId from, BlockId to, Operand literal) const {
  std::span<const InstId> terminators = function_.terminators(from);
  if (terminators.size() != 1) return Reg();
  const Inst& inst = function_.inst(terminators[0]);
  std::span<const Operand> operands = function_.operands(inst);
  Type type = literal.literal_type();
  if (inst.op == Opcode::Switch) {
    Reg known;
    if (!operands[0].is_reg() || inst.type != type || operands[1] == Operand::block(to)) return Reg();
    for (size_t i = 2; i + 1 < operands.size(); i += 2) {
      if (operands[i + 1] != Operand::block(to)) continue;
      if (known || operands[i] != literal) return Reg();
      known = operands[0].reg();
    }
    return known;
  }
  if (inst.op != Opcode::Br || operands.size() != 3 || !operands[0].is_reg()) return Reg();
  if (operands[1] == operands[2]) return Reg();
  bool taken = operands[1] == Operand::block(to);
  if (type == Type::i1) {
    return (function_.literal_bits(literal) != 0) == taken ? operands[0].reg() : Reg();
  }
  InstId definition = uses_.definition(operands[0].reg());
  if (!definition) return Reg();
  const Inst& cmp = function_.inst(definition);
  if (cmp.op != Opcode::Cmp || cmp.guard || cmp.type != type || is_float(type)) return Reg();
  if (cmp.cond() != (taken ? Cond::eq : Cond::ne)) return Reg();
  std::span<const Operand> compared = function_.operands(cmp);
  return compared[0].is_reg() && compared[1] == literal ? compared[0].reg() : Reg();
}

}  // namespace psi::destruction
