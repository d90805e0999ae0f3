#include "optimise/memory/gvn_loads.h"

#include <algorithm>
#include <array>
#include <utility>

#include "optimise/memory/memory_constants.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

// The conversion that makes a value of one type from the bytes of another; Mov if there is none.
Opcode conversion(const Function& function, Type from, Type to) {
  if (from == Type::i1 || to == Type::i1) return Opcode::Mov;
  if (is_int(from) && is_int(to) && bit_width(from) > bit_width(to)) return Opcode::Trunc;
  if (function.bit_width(from) != function.bit_width(to)) return Opcode::Mov;
  if (is_int(from) != is_int(to) && from != Type::ptr && to != Type::ptr) return Opcode::Bitcast;
  if (from == Type::ptr && is_int(to)) return Opcode::Ptrtoint;
  if (is_int(from) && to == Type::ptr) return Opcode::Inttoptr;
  return Opcode::Mov;
}

}  // namespace

// Addresses wrap at the width of pointers.
int64_t GvnLoads::wrapped(uint64_t distance) const { return function_.sign_extend(distance, Type::ptr); }

// The address with replaced registers.
Address GvnLoads::resolve(Address address) {
  if (!address.index.is_none()) {
    address.index = values_.everywhere(address.index);
    if (address.index.is_literal()) {
      address.offset = wrapped(static_cast<uint64_t>(address.offset) +
                               static_cast<uint64_t>(address.scale) * function_.literal_bits(address.index));
      address.index = {}, address.scale = 0;
    }
  }
  Operand base = values_.everywhere(address.base);
  Address inner = alias_.address(base);
  address.object = inner.object;
  address.base = base;
  if (inner.base == base || (!inner.index.is_none() && !address.index.is_none())) return address;
  inner.offset = wrapped(static_cast<uint64_t>(inner.offset) + static_cast<uint64_t>(address.offset));
  if (!address.index.is_none()) inner.index = address.index, inner.scale = address.scale;
  return inner;
}

GvnLoads::Step GvnLoads::look_at_load(InstId access, const Wanted& wanted, Operand& value) {
  const Inst& inst = function_.inst(access);
  if (inst.has_flag(Inst::kVolatile)) return Step::Through;
  if (!Alias::same_start(resolve(alias_.read(access).address), wanted.bytes.address)) return Step::Through;
  if (inst.type != wanted.type &&
      (!wanted.is_straight || conversion(function_, inst.type, wanted.type) == Opcode::Mov)) {
    return Step::Through;
  }
  if (inst.guard && !(wanted.is_straight && guards_.contains(guards_.guard(access), wanted.guard))) {
    return Step::Through;
  }
  value = values_.everywhere(Operand::reg(inst.results[0]));
  return Step::Found;
}

GvnLoads::Step GvnLoads::look_at_store(InstId access, const Wanted& wanted, Operand& value) {
  const Inst& inst = function_.inst(access);
  Bytes bytes = alias_.written(access);
  bytes.address = resolve(bytes.address);
  if (!alias_.may_overlap(bytes, wanted.bytes)) return Step::Through;
  if (inst.guard && wanted.is_straight && guards_.excludes(guards_.guard(access), wanted.guard)) {
    return Step::Through;
  }
  if (inst.has_flag(Inst::kVolatile) || !Alias::same_start(bytes.address, wanted.bytes.address) ||
      (inst.type != wanted.type &&
       (!wanted.is_straight || conversion(function_, inst.type, wanted.type) == Opcode::Mov)) ||
      (inst.guard && !(wanted.is_straight && guards_.contains(guards_.guard(access), wanted.guard)))) {
    return Step::Blocked;
  }
  value = values_.everywhere(as_store(function_, access).value);
  return Step::Found;
}

// All bytes are the same.
GvnLoads::Step GvnLoads::look_at_memset(InstId access, const Wanted& wanted, Operand& value) {
  const Inst& inst = function_.inst(access);
  Bytes bytes = alias_.written(access);
  bytes.address = resolve(bytes.address);
  if (!alias_.may_overlap(bytes, wanted.bytes)) return Step::Through;
  Operand byte = as_mem_set(function_, access).byte;
  const Address& to = bytes.address;
  const Address& from = wanted.bytes.address;
  uint64_t distance = static_cast<uint64_t>(from.offset) - static_cast<uint64_t>(to.offset);
  bool covers = to.base == from.base && to.index == from.index && to.scale == from.scale &&
                bytes.size != Bytes::kUnknown && wanted.bytes.size <= bytes.size &&
                distance <= bytes.size - wanted.bytes.size;
  if (!covers || inst.guard || inst.has_flag(Inst::kVolatile) || !byte.is_literal()) return Step::Blocked;
  uint64_t bits = function_.literal_bits(byte) * 0x0101'0101'0101'0101;
  if (wanted.type == Type::i1 && function_.literal_bits(byte) > 1) return Step::Blocked;
  value = function_.literal(wanted.type, bits & function_.value_mask(wanted.type));
  return Step::Found;
}

// The effect of an access on a later load.
GvnLoads::Step GvnLoads::look(InstId access, const Wanted& wanted, Operand& value) {
  const Inst& inst = function_.inst(access);
  if (inst.op == Opcode::Load) return look_at_load(access, wanted, value);
  if (!inst.writes_memory() || alias_.is_constant(wanted.bytes.address.object)) {
    return Step::Through;
  }
  switch (inst.op) {
    case Opcode::Store:
      return look_at_store(access, wanted, value);
    case Opcode::Memset:
      return look_at_memset(access, wanted, value);
    case Opcode::Memcpy:
    case Opcode::Memmove: {
      Bytes bytes = alias_.written(access);
      bytes.address = resolve(bytes.address);
      return alias_.may_overlap(bytes, wanted.bytes) ? Step::Blocked : Step::Through;
    }
    case Opcode::Call:
      if (promises(module_, function_, access).readonly) return Step::Through;
      [[fallthrough]];
    default:
      return alias_.is_private(wanted.bytes.address.object) ? Step::Through : Step::Blocked;
  }
}

GvnLoads::Step GvnLoads::scan(std::span<const InstId> accesses, const Wanted& wanted, Operand& value) {
  for (size_t i = accesses.size(); i > 0; --i) {
    if (++steps_ > kMaxSteps) return Step::Blocked;
    Step step = look(accesses[i - 1], wanted, value);
    if (step != Step::Through) return step;
  }
  return Step::Through;
}

Operand GvnLoads::find(InstId load) {
  const Inst& inst = function_.inst(load);
  if (inst.has_flag(Inst::kVolatile)) return {};
  Wanted wanted{load, inst.type, alias_.read(load), guards_.any() ? guards_.guard(load) : Term::always()};
  wanted.bytes.address = resolve(wanted.bytes.address);
  Operand constant = constant_at(module_, function_, wanted.bytes.address, inst.type);
  if (!constant.is_none()) return constant;
  steps_ = 0;
  BlockId b = uses_.block(load);
  std::span<const InstId> accesses = accesses_.before(load, b);
  for (uint32_t blocks = 0; blocks < kMaxBlocks; ++blocks) {
    Operand value;
    Step step = scan(accesses, wanted, value);
    if (step == Step::Found) return reuse(wanted, value);
    if (step == Step::Blocked || b == function_.entry()) return {};
    std::span<const BlockId> predecessors = cfg_.predecessors(b);
    BlockId above = predecessors.front();
    if (predecessors.back() != above) return find_at_join(wanted, b);
    if (!translate(b, above, wanted.bytes.address)) return {};
    b = above;
    accesses = accesses_.of(b);
  }
  return {};
}

// A value of another type is converted in the load's place.
Operand GvnLoads::reuse(const Wanted& wanted, Operand value) {
  Type from = function_.type(value);
  Reg result = function_.inst(wanted.load).results[0];
  if (!values_.may_replace(result, value)) return {};
  if (from == wanted.type) return value;
  Inst& inst = function_.inst(wanted.load);
  inst.op = conversion(function_, from, wanted.type);
  inst.set_from(from);
  inst.extra = 0;
  inst.flags = 0;
  function_.set_operands(wanted.load, std::array{value});
  return {};
}

// Nothing may be written in between.
Operand GvnLoads::find_call(InstId call) {
  BlockId b = uses_.block(call);
  const Inst& inst = function_.inst(call);
  std::span<const Operand> operands = std::as_const(function_).operands(call);
  std::span<const InstId> accesses = accesses_.before(call, b);
  for (uint32_t steps = 0;;) {
    for (size_t i = accesses.size(); i > 0; --i) {
      InstId access = accesses[i - 1];
      const Inst& other = function_.inst(access);
      if (++steps > kMaxSteps) return {};
      if (!other.writes_memory()) continue;
      if (other.op != Opcode::Call || !promises(module_, function_, access).readonly) return {};
      if (other.type != inst.type || !other.results[0]) continue;
      if (!std::ranges::equal(std::as_const(function_).operands(access), operands)) continue;
      Operand value = values_.everywhere(Operand::reg(other.results[0]));
      if (values_.may_replace(inst.results[0], value)) return value;
    }
    if (++steps > kMaxSteps || b == function_.entry()) return {};
    std::span<const BlockId> predecessors = cfg_.predecessors(b);
    if (predecessors.front() != predecessors.back()) return {};
    b = predecessors.front();
    accesses = accesses_.of(b);
  }
}

}  // namespace psi::optimise
