#include "psi/analysis/alias.h"

#include <bit>

#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi {

Alias::Alias(const Module& module, const Function& function, const Uses& uses, const Order& order)
    : module_(module), function_(function), kind_(function.num_regs()), where_(function.num_regs()) {
  for (Reg param : function.params) kind_[param.index()] = Kind::Param;
  // Definitions come before what reads them, phis aside.
  for (BlockId b : order.reverse_post_order()) {
    for (InstId id : function.insts(b)) update(id);
  }
  find_private_slots(uses);
}

Address Alias::address(Operand pointer) const {
  if (pointer.is_reg() && pointer.reg().index() < where_.size()) {
    uint32_t at = where_[pointer.reg().index()];
    if (at) return addresses_[at - 1];
  }
  return {pointer, pointer, {}, 0, 0};
}

void Alias::update(InstId id) {
  const Inst& inst = function_.inst(id);
  if (inst.op != Opcode::PtrAdd && inst.op != Opcode::PtrIndex) return;
  auto [base, index, scale, offset] = as_ptr_index(function_, inst);
  Address address = this->address(base);
  if (index.is_literal()) {
    offset += scale * function_.literal_bits(index);
  } else if (scale != 0) {
    // A second variable part has no place here.
    if (!address.index.is_none()) address = {address.object, base, {}, 0, 0};
    address.index = index;
    address.scale = function_.sign_extend(scale, Type::ptr);
  }
  address.offset = function_.sign_extend(static_cast<uint64_t>(address.offset) + offset, Type::ptr);
  uint32_t& at = where_[inst.results[0].index()];
  if (!at) {
    addresses_.emplace_back();
    at = static_cast<uint32_t>(addresses_.size());
  }
  addresses_[at - 1] = address;
}

// Does the address escape through this use?
bool Alias::is_escape(const Use& use) const {
  const Inst& inst = function_.inst(use.inst);
  switch (inst.op) {
    case Opcode::Load:
    case Opcode::PtrAdd:
    case Opcode::PtrIndex:
    case Opcode::Memcpy:
    case Opcode::Memmove:
    case Opcode::Memset:
      return false;
    case Opcode::Store:
      return use.operand == kStoredValue;
    case Opcode::Cmp:
      return !function_.operands(use.inst)[1 - use.operand].is_literal();
    default:
      return true;
  }
}

void Alias::find_private_slots(const Uses& uses) {
  std::vector<Reg> work;
  for (BlockId b : function_.layout()) {
    for (InstId id : function_.insts(b)) {
      if (function_.inst(id).op != Opcode::Slot) continue;
      Reg slot = function_.inst(id).results[0];
      bool escapes = false;
      work.assign(1, slot);
      while (!work.empty() && !escapes) {
        Reg pointer = work.back();
        work.pop_back();
        for (const Use& use : uses.uses(pointer)) {
          const Inst& inst = function_.inst(use.inst);
          escapes |= is_escape(use);
          if (inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex) work.push_back(inst.results[0]);
        }
      }
      kind_[slot.index()] = escapes ? Kind::Slot : Kind::Private;
    }
  }
}

bool Alias::is_constant(Operand object) const {
  if (!object.is_symbol()) return false;
  SymbolKind kind = module_.kind(object.symbol());
  if (kind == SymbolKind::Global) return module_.global(object.symbol()).constant;
  return kind == SymbolKind::Function;
}

// May pointers derived from these be equal?
bool Alias::may_be_same_object(Operand a, Operand b) const {
  if (a == b) return true;
  if (is_object(a) && is_object(b)) return false;
  if (is_private(a) || is_private(b)) return false;
  // A slot is made after the arguments.
  return !(is(a, Kind::Slot) && is(b, Kind::Param)) && !(is(b, Kind::Slot) && is(a, Kind::Param));
}

bool Alias::may_overlap(const Bytes& a, const Bytes& b) const {
  if (a.address.base != b.address.base) return may_be_same_object(a.address.object, b.address.object);
  // The start of b relative to a; addresses wrap at the width of pointers.
  auto distance = static_cast<uint64_t>(function_.sign_extend(
      static_cast<uint64_t>(b.address.offset) - static_cast<uint64_t>(a.address.offset), Type::ptr));
  if (a.address.index == b.address.index && a.address.scale == b.address.scale) {
    if (static_cast<int64_t>(distance) >= 0) return distance < a.size;
    return uint64_t{0} - distance < b.size;
  }
  // Different residues modulo a power of two: products wrap, so only that factor of a scale counts.
  uint64_t scales = static_cast<uint64_t>(a.address.index.is_none() ? 0 : a.address.scale) |
                    static_cast<uint64_t>(b.address.index.is_none() ? 0 : b.address.scale);
  uint64_t step = uint64_t{1} << std::countr_zero(scales);
  if (a.size > step || b.size > step) return true;
  distance &= step - 1;
  return distance < a.size || step - distance < b.size;
}

Bytes Alias::written(InstId id) const {
  const Inst& inst = function_.inst(id);
  Address to = address(written_address(function_, inst));
  if (inst.op == Opcode::Store) return {to, function_.byte_size(inst.type)};
  Bytes bytes{to, Bytes::kUnknown};
  Operand size = inst.op == Opcode::Memset ? as_mem_set(function_, id).size : as_mem_copy(function_, id).size;
  if (size.is_literal()) bytes.size = function_.literal_bits(size);
  return bytes;
}

Bytes Alias::read(InstId id) const {
  const Inst& inst = function_.inst(id);
  return {address(load_address(function_, id)), function_.byte_size(inst.type)};
}

}  // namespace psi
