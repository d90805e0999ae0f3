#include "legal/rules.h"

#include <algorithm>
#include <limits>
#include <span>

namespace psi::legal {
namespace {

bool takes_guard(Opcode op, const Target& target) { return target.guarded[static_cast<size_t>(op)]; }

constexpr LiteralRange kAny{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};

// A description says `any`: of any type, as any operand.
bool is_any(const std::optional<LiteralRange>& range) {
  return range && range->min == kAny.min && range->max == kAny.max;
}

// The literals that an instruction of the group takes; none: registers alone.
std::optional<LiteralRange> literals_of(OpGroup group, const Target& target) {
  auto described = [&](OpGroup of) { return target.immediates[static_cast<size_t>(of)]; };
  switch (group) {
    case OpGroup::Integer:
    case OpGroup::Multiply:
    case OpGroup::Compare:
    case OpGroup::Select:
    case OpGroup::Store:
      return described(group);
    case OpGroup::Divide:
    case OpGroup::Float:
    case OpGroup::FloatDivide:
      // A routine takes what a call takes. Instructions of these groups have no immediates, but where nothing
      // has a limit.
      if (!target.has(group) || is_any(described(OpGroup::Integer))) return kAny;
      return std::nullopt;
    default:
      return kAny;
  }
}

// Which operands may be literals at all, and which of them an immediate.
struct LiteralOperands {
  int first = 0, end = 0, immediate = kNoOperand;
};
LiteralOperands literal_operands(const Inst& inst) {
  switch (inst.format()) {
    case Format::Binary:
    case Format::Overflow:
    case Format::Compare:
    case Format::ComparePredicate:
      return {0, 2, 1};
    case Format::Unary:
    case Format::Convert:
      return {0, 1, 0};
    case Format::Ternary:
      return {0, 3, 2};
    case Format::Select:
      return {1, 3, 2};
    case Format::Store:
      return {0, 1, 0};
    default:
      return {};
  }
}

bool contains(const std::optional<LiteralRange>& range, const Function& function, Operand literal) {
  return range && !is_float(literal.literal_type()) && range->contains(function.literal_signed(literal));
}

}  // namespace

bool has_bad_guard(const Inst& inst, const Target& target) {
  return inst.guard && !takes_guard(inst.op, target);
}

bool reads_bad_complement(const Function& function, const Inst& inst, const Target& target) {
  if (target.free_complement) return false;
  if (inst.guard && inst.guard.is_negated()) return true;
  return inst.op == Opcode::Cmpp && function.operands(inst)[2].is_negated();
}

std::optional<Action> bad_action(const Inst& inst, const Target& target) {
  if (inst.op != Opcode::Cmpp) return std::nullopt;
  for (int i = 0; i < static_cast<int>(inst.num_results()); ++i) {
    if (!target.has_action(inst.action(i))) return inst.action(i);
  }
  return std::nullopt;
}

int bad_literal(const Function& function, const Inst& inst, const Target& target) {
  std::optional<OpGroup> group = group_of(inst);
  if (!group) return kNoOperand;
  std::span<const Operand> operands = function.operands(inst);
  LiteralOperands literals = literal_operands(inst);
  std::optional<LiteralRange> range = literals_of(*group, target);
  if (is_any(range)) return kNoOperand;
  for (int i = literals.first; i < literals.end; ++i) {
    Operand operand = operands[static_cast<size_t>(i)];
    // Logic of predicates is as the target has it.
    if (!operand.is_literal() || operand.literal_type() == Type::i1) continue;
    if (i != literals.immediate || !contains(range, function, operand)) return i;
  }
  return kNoOperand;
}

AddressRules::AddressRules(const Function& function, const Target& target)
    : function_(function),
      target_(target),
      is_computed_(function.num_regs()),
      definitions_(function.num_regs()) {
  for (BlockId b : function.layout()) look_at_block(b);
}

void AddressRules::look_at_block(BlockId b) {
  block_start_ = ++time_;
  for (InstId id : function_.insts(b)) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = function_.operands(inst);
    bool is_load = inst.op == Opcode::Load, is_store = inst.op == Opcode::Store;
    for (size_t i = 0; i < operands.size(); ++i) {
      bool is_address = (is_load && i == 0) || (is_store && i == 1);
      read(operands[i], is_address ? function_.bit_width(inst.type) : 0);
    }
    ++time_;
    for (Reg r : inst.results) {
      if (r) definitions_[r.index()] = {id, time_};
    }
  }
}

void AddressRules::read(Operand operand, unsigned access_bits) {
  constexpr unsigned kBitsPerByte = 8;
  if (!operand.reads_reg()) return;
  uint32_t r = operand.reg().index();
  auto is_here = [&](Definition definition) { return definition.inst && definition.time > block_start_; };
  Definition definition = definitions_[r];
  bool is_part = access_bits != 0 && is_here(definition);
  if (is_part) {
    const Inst& address = function_.inst(definition.inst);
    is_part = (address.op == Opcode::PtrAdd || address.op == Opcode::PtrIndex) && !address.guard &&
              can_access(form(address), (access_bits + kBitsPerByte - 1) / kBitsPerByte);
    // What it is made of must still be there.
    for (Operand part : function_.operands(address)) {
      if (!part.is_reg()) continue;
      Definition other = definitions_[part.reg().index()];
      is_part = is_part && !(is_here(other) && other.time >= definition.time);
    }
  }
  if (!is_part) is_computed_[r] = true;
}

AddressRules::Form AddressRules::form(const Inst& inst) const {
  std::span<const Operand> operands = function_.operands(inst);
  bool is_add = inst.op == Opcode::PtrAdd;
  int64_t scale = is_add ? 1 : function_.literal_signed(operands[2]);
  int64_t offset = is_add ? 0 : function_.literal_signed(operands[3]);
  if (!operands[1].is_literal()) return {scale, offset};
  auto product = static_cast<uint64_t>(function_.literal_signed(operands[1])) * static_cast<uint64_t>(scale);
  return {0, static_cast<int64_t>(product + static_cast<uint64_t>(offset))};
}

bool AddressRules::can_access(Form form, unsigned size) const {
  if (target_.can_access(form.scale, form.offset, size)) return true;
  return form.scale == 0 && std::ranges::any_of(target_.addressing.offsets, [&](const OffsetRange& range) {
           return range.extended && range.range.contains(form.offset);
         });
}

bool AddressRules::is_executed_alone(const Inst& inst) const {
  Form address = form(inst);
  const std::optional<LiteralRange>& immediate = target_.immediates[static_cast<size_t>(OpGroup::Integer)];
  // An addition.
  if (address.scale == 0 && immediate && immediate->contains(address.offset)) return true;
  if (address.scale == 1 && address.offset == 0) return true;
  return target_.addressing.address_of && can_access(address, 1);
}

bool AddressRules::is_bad(InstId id) const {
  const Inst& inst = function_.inst(id);
  if (inst.op != Opcode::PtrAdd && inst.op != Opcode::PtrIndex) return false;
  if (is_executed_alone(inst)) return false;
  return is_computed_[inst.results[0].index()] || inst.guard;
}

}  // namespace psi::legal
