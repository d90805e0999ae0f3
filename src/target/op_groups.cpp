// The groups of opcodes that targets treat alike.
#include <algorithm>

#include "psi/target/target.h"

namespace psi {
namespace {

constexpr std::array<std::string_view, kNumOpGroups> kGroupNames = {
    "integer", "move",  "multiply", "divide",       "compare", "select",
    "load",    "store", "float",    "float-divide", "branch",  "call"};

OpGroup convert_group(Opcode op) {
  switch (op) {
    case Opcode::Fptrunc:
    case Opcode::Fpext:
    case Opcode::Fptosi:
    case Opcode::Fptoui:
    case Opcode::Sitofp:
    case Opcode::Uitofp:
      return OpGroup::Float;
    default:
      return OpGroup::Integer;
  }
}

OpGroup arithmetic_group(Opcode op) {
  switch (op) {
    case Opcode::Mul:
    case Opcode::SmulOverflow:
    case Opcode::UmulOverflow:
      return OpGroup::Multiply;
    case Opcode::Sdiv:
    case Opcode::Udiv:
    case Opcode::Srem:
    case Opcode::Urem:
      return OpGroup::Divide;
    case Opcode::Fdiv:
    case Opcode::Frem:
    case Opcode::Sqrt:
      return OpGroup::FloatDivide;
    case Opcode::Freeze:
      return OpGroup::Move;
    default:
      return info(op).types == TypeSet::Float ? OpGroup::Float : OpGroup::Integer;
  }
}

}  // namespace

std::string_view group_name(OpGroup group) { return kGroupNames[static_cast<size_t>(group)]; }

std::optional<OpGroup> group_from_name(std::string_view name) {
  auto found = std::ranges::find(kGroupNames, name);
  if (found == kGroupNames.end()) return std::nullopt;
  return static_cast<OpGroup>(found - kGroupNames.begin());
}

std::optional<OpGroup> group_of(Opcode op) {
  switch (info(op).format) {
    case Format::Binary:
    case Format::Unary:
    case Format::Ternary:
    case Format::Overflow:
      return arithmetic_group(op);
    case Format::Convert:
      return convert_group(op);
    case Format::Compare:
    case Format::ComparePredicate:
      return OpGroup::Compare;
    case Format::Move:
      return OpGroup::Move;
    case Format::Select:
      return OpGroup::Select;
    case Format::Phi:
    case Format::Psi:
      return std::nullopt;
    case Format::Slot:
    case Format::PtrAdd:
    case Format::PtrIndex:
      return OpGroup::Integer;
    case Format::Load:
      return OpGroup::Load;
    case Format::Store:
      return OpGroup::Store;
    case Format::MemCopy:
    case Format::MemSet:
    case Format::VaList:
    case Format::VaArg:
    case Format::VaCopy:
    case Format::Call:
      return OpGroup::Call;
    case Format::Branch:
    case Format::Switch:
    case Format::Return:
    case Format::Unreachable:
      return OpGroup::Branch;
    case Format::Machine:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<OpGroup> group_of(const Inst& inst) {
  std::optional<OpGroup> group = group_of(inst.op);
  return group == OpGroup::Compare && is_float(inst.type) ? OpGroup::Float : group;
}

Unit unit_of(OpGroup group) {
  switch (group) {
    case OpGroup::Integer:
    case OpGroup::Move:
    case OpGroup::Compare:
    case OpGroup::Select:
      return Unit::Integer;
    case OpGroup::Multiply:
    case OpGroup::Divide:
      return Unit::Multiply;
    case OpGroup::Load:
    case OpGroup::Store:
      return Unit::Memory;
    case OpGroup::Float:
    case OpGroup::FloatDivide:
      return Unit::Float;
    case OpGroup::Branch:
    case OpGroup::Call:
      return Unit::Branch;
  }
  return Unit::Integer;
}

}  // namespace psi
