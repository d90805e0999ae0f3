#include "optimise/loops/address_form.h"

#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

AddressForm scaled(AddressForm form, int64_t by) {
  form.scale = wrapping_mul(form.scale, by);
  form.offset = wrapping_mul(form.offset, by);
  // Multiplication by 0 drops the index, where that is defined.
  if (form.scale == 0) form.index = Operand();
  return form;
}

}  // namespace

int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

int64_t wrapping_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

bool add(const AddressForm& a, const AddressForm& b, AddressForm& sum) {
  if (a.has_index() && b.has_index() && a.index != b.index) return false;
  sum = a;
  sum.index = a.has_index() ? a.index : b.index;
  sum.scale = wrapping_add(a.scale, b.scale);
  sum.offset = wrapping_add(a.offset, b.offset);
  if (sum.scale == 0) sum.index = Operand();
  return true;
}

AddressForms::AddressForms(const Function& function, Analyses& analyses)
    : function_(function), index_(function.num_regs()) {
  for (BlockId b : analyses.get<Dominators>().preorder()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      AddressForm form;
      if (!define(inst, form)) continue;
      form.scale = wrapped(form.scale), form.offset = wrapped(form.offset);
      if (form.scale == 0) form.index = Operand();
      forms_.push_back(form);
      index_[inst.results[0].index()] = static_cast<uint32_t>(forms_.size());
    }
  }
}

AddressForm AddressForms::of(Operand value) const {
  if (value.is_reg() && is_known(value.reg())) return forms_[index_[value.reg().index()] - 1];
  if (function_.type(value) == Type::ptr) return {.base = value, .index = {}, .scale = 0, .offset = 0};
  if (value.is_literal()) {
    return {.base = {}, .index = {}, .scale = 0, .offset = function_.literal_signed(value)};
  }
  return {.base = {}, .index = value, .scale = 1, .offset = 0};
}

// False where the result is a leaf.
bool AddressForms::define(const Inst& inst, AddressForm& form) const {
  std::span<const Operand> operands = function_.operands(inst);
  for (Operand operand : operands) {
    if (operand.is_undef()) return false;
  }
  switch (inst.op) {
    case Opcode::PtrAdd:
    case Opcode::PtrIndex: {
      PtrIndexView sum = as_ptr_index(function_, inst);
      AddressForm index = scaled(of(sum.index), static_cast<int64_t>(sum.scale));
      index.offset = wrapping_add(index.offset, static_cast<int64_t>(sum.offset));
      if (!add(of(sum.base), index, form)) {
        form = {.base = sum.base, .index = {}, .scale = 0, .offset = 0};
        return add(form, index, form);
      }
      return true;
    }
    default:
      return inst.type == function_.address_type() && define_integer(inst, form);
  }
}

bool AddressForms::define_integer(const Inst& inst, AddressForm& form) const {
  std::span<const Operand> operands = function_.operands(inst);
  switch (inst.op) {
    case Opcode::Add:
      return add(of(operands[0]), of(operands[1]), form);
    case Opcode::Sub:
      return add(of(operands[0]), scaled(of(operands[1]), -1), form);
    case Opcode::Mul:
      if (!operands[1].is_literal() && !operands[0].is_literal()) return false;
      form = operands[1].is_literal() ? scaled(of(operands[0]), function_.literal_signed(operands[1]))
                                      : scaled(of(operands[1]), function_.literal_signed(operands[0]));
      return true;
    case Opcode::Shl: {
      if (!operands[1].is_literal() || function_.literal_bits(operands[1]) >= bit_width(inst.type))
        return false;
      uint64_t factor = uint64_t{1} << function_.literal_bits(operands[1]);
      form = scaled(of(operands[0]), static_cast<int64_t>(factor));
      return true;
    }
    case Opcode::Neg:
      form = scaled(of(operands[0]), -1);
      return true;
    case Opcode::Mov:
      form = of(operands[0]);
      return true;
    default:
      return false;
  }
}

}  // namespace psi::optimise
