#include "optimise/value_numbering/value_keys.h"

#include <utility>

#include "psi/ir/views.h"

namespace psi::optimise {

void ValueKeys::start(Opcode op, Type type, uint8_t kind, uint32_t flags) {
  words_[0] =
      static_cast<uint32_t>(op) | static_cast<uint32_t>(type) << 8 | uint32_t{kind} << 16 | flags << 24;
  size_ = 1;
}

bool ValueKeys::make(InstId id, std::span<const Operand> operands, int target) {
  const Inst& inst = function_.inst(id);
  complement_ = false;
  if (words_.size() < operands.size() + kMaxMore) words_.resize(2 * operands.size() + kMaxMore);
  switch (inst.op) {
    case Opcode::Freeze:
    case Opcode::Phi:
    case Opcode::Load:
    case Opcode::Slot:
      return false;
    case Opcode::Cmp:
      make_compare(inst.cond(), inst.type, operands[0], operands[1]);
      return true;
    case Opcode::Cmpp:
      make_target(inst, operands, target);
      return true;
    case Opcode::PtrAdd:
    case Opcode::PtrIndex:
      if (!alias_) break;
      make_address(alias_->address(Operand::reg(inst.results[0])));
      return true;
    default:
      break;
  }
  start(inst.op, inst.type, inst.kind, inst.flags & Inst::kFast);
  for (Operand operand : operands) add(operand);
  if (is_commutative(inst.op) && words_[1] > words_[2]) std::swap(words_[1], words_[2]);
  return true;
}

void ValueKeys::make_compare(Cond cond, Type type, Operand a, Operand b) {
  if (a.raw() > b.raw()) {
    std::swap(a, b);
    cond = swap_operands(cond);
  }
  complement_ = negate(cond) < cond;
  if (complement_) cond = negate(cond);
  start(Opcode::Cmp, type, static_cast<uint8_t>(cond), 0);
  add(a);
  add(b);
}

// A target of a cmpp does not depend on the other one.
void ValueKeys::make_target(const Inst& inst, std::span<const Operand> operands, int target) {
  Action action = inst.action(target);
  Cond cond = psi::is_complement(action) ? negate(inst.cond()) : inst.cond();
  CmppView cmpp = as_cmpp(operands);
  make_compare(cond, inst.type, cmpp.left, cmpp.right);
  ActionClass of = action_class(action);
  if (!is_parallel(of) && cmpp.input == Operand::always()) return;
  // Here the comparison is one part of several: its complement is another value.
  words_[0] = static_cast<uint32_t>(Opcode::Cmpp) | (words_[0] & 0xffffff00u);
  words_[size_++] = static_cast<uint32_t>(make_action(of, complement_));
  complement_ = false;
  add(cmpp.input);
  if (is_partial(action)) add(old_value(inst, operands, target));
}

void ValueKeys::make_address(const Address& address) {
  start(Opcode::PtrIndex, Type::ptr, 0, 0);
  add(address.base);
  add(address.index);
  add(static_cast<uint64_t>(address.scale));
  add(static_cast<uint64_t>(address.offset));
}

}  // namespace psi::optimise
