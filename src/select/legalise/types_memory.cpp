// Loads and stores: of halves, of narrow integers, and of less than the alignment that an access needs.
#include <array>

#include "select/legalise/type_lowering.h"

namespace psi::select {
namespace {

Type integer_of(unsigned bytes) {
  return bytes == 1 ? Type::i8 : bytes == 2 ? Type::i16 : bytes == 4 ? Type::i32 : Type::i64;
}

}  // namespace

void TypeLowering::lower_load(const Inst& inst, Operand address) {
  Type type = inst.type;
  emitter_.guard(inst.guard);
  uint64_t align = inst.align();
  if (type == Type::i1) {
    Operand byte = load_part(Type::i8, address, align, inst.flags);
    emitter_.guard({});
    Operand bit = emitter_.convert(Opcode::Trunc, Type::i1, byte);
    return bind(inst.results[0], {bit, {}});
  }
  bool is_aligned = align >= facts_.access_align(type);
  if (is_same(type) && is_aligned) return keep(std::array{address});
  if (is_split(type)) {
    Operand lo = load_part(Type::i32, address, align, inst.flags);
    emitter_.guard({});
    Operand upper = emitter_.advance(address, 4);
    emitter_.guard(inst.guard);
    Operand hi = load_part(Type::i32, upper, std::min<uint64_t>(align, 4), inst.flags);
    return bind(inst.results[0], {lo, hi});
  }
  Type bits = type == Type::ptr ? facts_.address_type() : integer_of(byte_size(type));
  Operand value = load_part(bits, address, align, inst.flags);
  emitter_.guard({});
  if (is_same(type) && type == Type::ptr) value = emitter_.convert(Opcode::Inttoptr, type, value);
  if (is_same(type) && is_float(type)) return bind(inst.results[0], number_of({value, {}}, type));
  bind(inst.results[0], {value, {}});
}

// An integer that is held, or in the register that carries it.
Operand TypeLowering::load_part(Type type, Operand address, uint64_t align, uint32_t flags) {
  unsigned bits = bit_width(type);
  if (align < facts_.access_align(type)) {
    Type half = integer_of(bits / 16);
    Guard guard = emitter_.guard();
    Operand low = load_part(half, address, align, flags);
    emitter_.guard({});
    Operand upper = emitter_.advance(address, bits / 16);
    emitter_.guard(guard);
    Operand high = load_part(half, upper, align, flags);
    emitter_.guard({});
    Type carried = carrier(type).type;
    auto widened = [&](Operand part) {
      return emitter_.type(part) < carried ? emitter_.convert(Opcode::Zext, carried, part) : part;
    };
    // What the shift loses need not be zeros.
    if (bits < bit_width(carried) || is_same(half)) high = zero_extended(high, bits / 2);
    low = widened(zero_extended(low, bits / 2));
    Operand value = emitter_.or_({low, emitter_.shl(widened(high), bits / 2)});
    emitter_.guard(guard);
    return bits < bit_width(carried) ? with_bits(value, bits, 64) : value;
  }
  Operand value = emitter_.load(type, address, align, flags);
  if (is_same(type)) return value;
  Type wide = carrier(type).type;
  Opcode extension = facts_.extending_load(type, wide).value_or(Opcode::Zext);
  value = emitter_.convert(extension, wide, value);
  return extension == Opcode::Zext ? with_bits(value, bits, 64) : with_bits(value, 64, bits);
}

void TypeLowering::lower_store(const Inst& inst, Operand value, Operand address) {
  Type type = inst.type;
  uint64_t align = inst.align();
  Parts stored = parts(value);
  if (type == Type::i1) {
    Operand byte = with_bits(emitter_.convert(Opcode::Zext, facts_.word(), stored.lo), 1, 64);
    emitter_.guard(inst.guard);
    return store_part(Type::i8, byte, address, align, inst.flags);
  }
  bool is_aligned = align >= facts_.access_align(type);
  if (is_same(type) && is_aligned) return keep(std::array{stored.lo, address});
  if (is_split(type)) {
    Operand upper = emitter_.advance(address, 4);
    emitter_.guard(inst.guard);
    store_part(Type::i32, stored.lo, address, align, inst.flags);
    return store_part(Type::i32, stored.hi, upper, std::min<uint64_t>(align, 4), inst.flags);
  }
  Type bits = type == Type::ptr ? facts_.address_type() : integer_of(byte_size(type));
  if (is_same(type) && type == Type::ptr) stored.lo = emitter_.convert(Opcode::Ptrtoint, bits, stored.lo);
  if (is_same(type) && is_float(type)) {
    stored = bits_of(stored, type);
    if (!stored.hi.is_none()) {
      Operand upper = emitter_.advance(address, 4);
      emitter_.guard(inst.guard);
      store_part(Type::i32, stored.lo, address, align, inst.flags);
      return store_part(Type::i32, stored.hi, upper, align, inst.flags);
    }
  }
  emitter_.guard(inst.guard);
  store_part(bits, stored.lo, address, align, inst.flags);
}

void TypeLowering::store_part(Type type, Operand value, Operand address, uint64_t align, uint32_t flags) {
  Guard guard = emitter_.guard();
  if (align < facts_.access_align(type)) {
    Type half = integer_of(bit_width(type) / 16);
    emitter_.guard({});
    Operand upper = emitter_.advance(address, byte_size(half));
    Operand high = emitter_.lshr(value, bit_width(half));
    if (is_same(half)) {
      if (emitter_.type(value) != half) value = emitter_.convert(Opcode::Trunc, half, value);
      if (emitter_.type(high) != half) high = emitter_.convert(Opcode::Trunc, half, high);
    }
    emitter_.guard(guard);
    store_part(half, value, address, align, flags);
    return store_part(half, high, upper, align, flags);
  }
  emitter_.guard({});
  if (emitter_.type(value) != type) value = emitter_.convert(Opcode::Trunc, type, value);
  emitter_.guard(guard);
  emitter_.store(value, address, align, flags);
}

}  // namespace psi::select
