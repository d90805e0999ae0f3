#include "psi/select/boundary.h"

#include <utility>

#include "psi/ir/views.h"

namespace psi {

BoundaryShapes::BoundaryShapes(const Function& function, std::array<bool, kNumTypes> held)
    : held_(held),
      definitions_(function.num_regs()),
      crossing_(function.num_regs()),
      shapes_(function.num_insts(), BoundaryShape::None) {
  find_definitions(function);
  find_incoming(function);
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) {
      const Inst& inst = function.inst(id);
      if (inst.op != Opcode::Call && inst.op != Opcode::Ret) continue;
      std::span<const Operand> operands = function.operands(inst);
      for (size_t i = inst.op == Opcode::Call ? 1 : 0; i < operands.size(); ++i) {
        find_outgoing(function, operands[i]);
      }
    }
  }
}

void BoundaryShapes::find_definitions(const Function& function) {
  auto incoming = [&](Reg reg) {
    if (reg && changes(function.type(reg)) && definitions_[reg.index()].is_only)
      crossing_[reg.index()] = true;
  };
  for (Reg param : function.params) incoming(param);
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) {
      const Inst& inst = function.inst(id);
      for (Reg result : inst.results) {
        if (!result) continue;
        Definition& definition = definitions_[result.index()];
        definition.is_only = !definition.inst && !crossing_[result.index()];
        definition.inst = id;
      }
      if (inst.op == Opcode::Call || inst.op == Opcode::VaArg) incoming(inst.results[0]);
    }
  }
}

// Definitions come before their readers in the text only where control flow says so; a shape never spans
// blocks.
void BoundaryShapes::find_incoming(const Function& function) {
  std::vector<bool> shifted(function.num_regs());
  for (BlockId block : function.layout()) {
    for (InstId id : function.insts(block)) {
      const Inst& inst = function.inst(id);
      std::span<const Operand> operands = function.operands(inst);
      if (operands.empty() || !operands[0].is_reg() || !inst.results[0]) continue;
      uint32_t source = operands[0].reg().index(), result = inst.results[0].index();
      if (inst.op == Opcode::Trunc && inst.from() == Type::i64 && inst.type == Type::i32 && shifted[source]) {
        shapes_[id.index()] = BoundaryShape::Hi;
        continue;
      }
      if (!crossing_[source]) continue;
      switch (inst.op) {
        case Opcode::Trunc:
          if (inst.from() == Type::i64 && inst.type == Type::i32) shapes_[id.index()] = BoundaryShape::Lo;
          break;
        case Opcode::Lshr:
          if (inst.type == Type::i64 && operands[1].is_literal() &&
              function.literal_bits(operands[1]) == 32) {
            shapes_[id.index()] = BoundaryShape::Inner;
            shifted[result] = true;
          }
          break;
        case Opcode::Zext:
          shapes_[id.index()] = BoundaryShape::Widen;
          break;
        case Opcode::Bitcast:
          shapes_[id.index()] = BoundaryShape::Bits;
          if (changes(inst.type)) crossing_[result] = true;
          break;
        default:
          break;
      }
    }
  }
}

void BoundaryShapes::find_outgoing(const Function& function, Operand value) {
  while (value.is_reg() && changes(function.type(value))) {
    const Definition& definition = definitions_[value.reg().index()];
    if (!definition.inst || !definition.is_only) return;
    const Inst& inst = function.inst(definition.inst);
    std::span<const Operand> operands = function.operands(inst);
    BoundaryShape& shape = shapes_[definition.inst.index()];
    auto inner = [&](Operand operand) -> const Inst* {
      if (!operand.is_reg()) return nullptr;
      InstId id = definitions_[operand.reg().index()].inst;
      if (!id) return nullptr;
      shapes_[id.index()] = BoundaryShape::Inner;
      crossing_[operand.reg().index()] = true;
      return &function.inst(id);
    };
    if (inst.op != Opcode::Bitcast && inst.op != Opcode::Or && inst.op != Opcode::Trunc) return;
    if (inst.op == Opcode::Or && inst.type != Type::i64) return;
    crossing_[value.reg().index()] = true;
    if (inst.op == Opcode::Bitcast) {
      shape = BoundaryShape::Bits;
      value = operands[0];
      continue;
    }
    if (inst.op == Opcode::Trunc) {
      shape = BoundaryShape::Narrow;
      return;
    }
    shape = BoundaryShape::Pair;
    inner(operands[0]);
    if (const Inst* shift = inner(operands[1])) inner(function.operands(*shift)[0]);
    return;
  }
}

}  // namespace psi
