// Loads, stores and addresses.
#include <algorithm>
#include <bit>

#include "testing/generator/function_generator.h"

namespace psi::testing {
namespace {

constexpr uint32_t kMinBytes = 16;
// Slots made inside loops stay alive until the function returns.
constexpr uint64_t kMaxSlotTimes = 100;

}  // namespace

void FunctionGenerator::add_slots() {
  uint32_t slots = static_cast<uint32_t>(std::min<uint64_t>(plan_.size / 60, 3));
  for (uint32_t i = random_.below(slots + 1); i > 0; --i) {
    uint32_t size = kMinBytes << random_.below(3);
    Reg slot = fresh(Type::ptr);
    builder_.into(slot);
    builder_.slot(constant(word(), size), random_.coin() ? 8 : 16);
    initialise(Operand::reg(slot), size);
    scope_.pointers.push_back({.address = Operand::reg(slot),
                               .size = size,
                               .object = static_cast<int32_t>(environment_.data.size() + slot.index())});
  }
  for (size_t i = 0; i < environment_.data.size(); ++i) {
    if (i > 0 && random_.coin()) continue;
    const DataGlobal& data = environment_.data[i];
    scope_.pointers.push_back({.address = Operand::symbol(data.symbol),
                               .size = data.size,
                               .writable = data.writable,
                               .outlives = true,
                               .object = static_cast<int32_t>(i)});
  }
}

void FunctionGenerator::initialise(Operand address, uint32_t size) {
  guard_last();
  if (size > 32 || random_.coin()) {
    Operand byte = pick(Type::i8, true);
    builder_.effect(Opcode::Memset, {address, byte, constant(word(), size)});
    return;
  }
  for (uint32_t offset = 0; offset < size; offset += 8) {
    Operand value = pick(Type::i64, true);
    Reg at = builder_.ptradd(address, constant(word(), offset));
    builder_.store(Type::i64, value, Operand::reg(at));
  }
}

bool FunctionGenerator::choose_pointer(uint32_t size, bool writable, Pointer& pointer, bool final) {
  Literal known = mode_.deep || final ? mode_.literal : Literal();
  const std::vector<Pointer>& all = scope_.pointers;
  if (all.empty()) return false;
  for (int attempt = 0; attempt < 6; ++attempt) {
    uint32_t count = static_cast<uint32_t>(all.size());
    const Pointer& chosen =
        all[random_.coin() ? count - 1 - random_.below(std::min(count, 5u)) : random_.below(count)];
    if (chosen.size < size || (writable && !chosen.writable)) continue;
    if (!scope_.holds(chosen.domain, known)) continue;
    pointer = chosen;
    return true;
  }
  return false;
}

void FunctionGenerator::add_pointer(Reg reg, const Pointer& like) {
  Pointer pointer = like;
  pointer.address = Operand::reg(reg);
  scope_.pointers.push_back(pointer);
}

bool FunctionGenerator::choose_address(Type type, bool writable, Address& address) {
  Pointer pointer;
  uint32_t width = byte_size(type);
  if (!choose_pointer(width, writable, pointer, true)) return false;
  address = {pointer.address, pointer.align, !pointer.domain.is_none()};
  if (random_.percent(30)) return true;
  uint32_t slots = pointer.size / width;
  if (random_.coin()) {
    uint32_t offset = random_.below(slots) * width;
    if (random_.percent(15)) offset = random_.below(pointer.size - width + 1);
    guard_steps();
    builder_.into(temporary(Type::ptr));
    address.operand = Operand::reg(builder_.ptradd(pointer.address, constant(word(), offset)));
    if (offset != 0) address.align = std::min(address.align, 1u << std::countr_zero(offset));
    return true;
  }
  uint32_t range = std::bit_floor(slots);
  int64_t first = static_cast<int64_t>(random_.below(slots - range + 1) * width);
  Reg index = step(Opcode::And, word(), {pick_reg(word()), constant(word(), range - 1)});
  builder_.into(temporary(Type::ptr));
  address.operand = Operand::reg(builder_.ptrindex(pointer.address, Operand::reg(index), width, first));
  address.align = std::min(address.align, width);
  return true;
}

uint64_t FunctionGenerator::access_align(const Address& address, Type type) {
  uint64_t natural = byte_size(type);
  if (address.align < natural || random_.percent(10))
    return uint64_t{1} << random_.below(std::bit_width(address.align));
  return natural;
}

void FunctionGenerator::load() {
  Type type = value_type();
  Address address;
  if (!choose_address(type, false, address)) return arithmetic();
  uint64_t align = access_align(address, type);
  uint32_t flags = random_.percent(6) ? Inst::kVolatile : 0;
  if (mode_.literal.is_none() && random_.percent(10) && !address.is_partial) flags |= Inst::kDeref;
  builder_.into(result(type));
  builder_.load(type, address.operand, align, flags);
}

void FunctionGenerator::store() {
  Type type = value_type();
  Address address;
  if (!choose_address(type, true, address)) return arithmetic();
  uint64_t align = access_align(address, type);
  Operand value = pick(type, true);
  guard_last();
  builder_.store(type, value, address.operand, align, random_.percent(6) ? Inst::kVolatile : 0);
}

void FunctionGenerator::block_copy() {
  Pointer to, from;
  if (!choose_pointer(kMinBytes, true, to, true) || !choose_pointer(kMinBytes, false, from, true))
    return arithmetic();
  bool set = random_.percent(40);
  uint32_t most = set ? to.size : std::min(to.size, from.size);
  Operand length = constant(word(), random_.below(most + 1));
  if (random_.percent(40)) {
    length = Operand::reg(
        step(Opcode::And, word(), {pick_reg(word()), constant(word(), std::bit_floor(most) - 1)}));
  }
  bool apart = to.object >= 0 && from.object >= 0 && to.object != from.object;
  Operand byte = pick(Type::i8, true);
  guard_last();
  if (set) {
    builder_.effect(Opcode::Memset, {to.address, byte, length});
  } else {
    builder_.effect(apart && random_.percent(70) ? Opcode::Memcpy : Opcode::Memmove,
                    {to.address, from.address, length});
  }
}

// Pointers made from others: into the middle, one of two, or defined under a guard only.
void FunctionGenerator::derive_pointer() {
  Pointer a, b;
  if (!choose_pointer(kMinBytes, false, a) || !choose_pointer(kMinBytes, false, b)) return arithmetic();
  Literal literal = options_.guards ? some_stable() : Literal();
  Pointer either = a;
  either.size = std::min(a.size, b.size);
  either.align = std::min(a.align, b.align);
  either.writable = a.writable && b.writable;
  either.outlives = a.outlives && b.outlives;
  either.object = a.object == b.object ? a.object : -1;
  // Both were found defined here, if only thanks to what branches have shown; that stays so in this scope.
  either.domain = a.domain = Literal();
  Reg reg = fresh(Type::ptr);
  builder_.into(reg);
  switch (random_.below(5)) {
    case 0: {
      uint32_t offset = 8 * random_.below((a.size - kMinBytes) / 8 + 1);
      builder_.ptradd(a.address, constant(word(), offset));
      a.size -= offset;
      if (offset != 0) a.align = std::min(a.align, 8u);
      return add_pointer(reg, a);
    }
    case 1:
      if (literal.is_none()) break;
      builder_.op(Opcode::Mov, Type::ptr, {a.address});
      builder_.into(reg);
      builder_.guard(Guard(predicate_of(literal)));
      builder_.op(Opcode::Mov, Type::ptr, {b.address});
      return add_pointer(reg, either);
    case 2:
      if (literal.is_none()) break;
      builder_.guard(Guard(predicate_of(literal)));
      builder_.ptradd(a.address, constant(word(), 0));
      a.domain = literal;
      return add_pointer(reg, a);
    case 3: {
      if (literal.is_none()) break;
      Operand null = constant(Type::ptr, 0);
      Operand condition = Operand::reg(scope_.stable[literal.index()].reg);
      bool swapped = literal.is_negated();
      builder_.op(Opcode::Select, Type::ptr,
                  {condition, swapped ? null : a.address, swapped ? a.address : null});
      a.domain = literal;
      return add_pointer(reg, a);
    }
    default:
      break;
  }
  builder_.op(Opcode::Select, Type::ptr, {pick_reg(Type::i1), a.address, b.address});
  add_pointer(reg, either);
}

void FunctionGenerator::pointer_table() {
  if (environment_.pointer_tables.empty()) return load();
  const PointerTable& table = random_.element(environment_.pointer_tables);
  Operand base = Operand::symbol(table.symbol);
  bool local = times_ <= kMaxSlotTimes && random_.percent(20);
  if (local) {
    Operand size = constant(word(), pointer_bytes() * table.entries);
    Reg slot = builder_.slot(size, 8);
    builder_.effect(Opcode::Memcpy, {Operand::reg(slot), base, size});
    base = Operand::reg(slot);
  }
  auto entry = [&] {
    if (random_.percent(30)) {
      int64_t offset = pointer_bytes() * static_cast<int64_t>(random_.below(table.entries));
      return Operand::reg(builder_.ptradd(base, constant(word(), offset)));
    }
    Operand index = pick_reg(word());
    Reg masked = builder_.op(Opcode::And, word(), {index, constant(word(), table.entries - 1)});
    return Operand::reg(builder_.ptrindex(base, Operand::reg(masked), pointer_bytes(), 0));
  };
  Pointer kept;
  bool outlives = true;
  if ((local || table.writable) && random_.coin() && choose_pointer(kParamBytes, true, kept) &&
      (local || kept.outlives)) {
    Operand address = entry();
    builder_.store(Type::ptr, kept.address, address);
    outlives = kept.outlives;
  }
  Operand address = entry();
  Reg loaded = fresh(Type::ptr);
  builder_.into(loaded);
  builder_.load(Type::ptr, address);
  add_pointer(loaded, {.size = kParamBytes, .outlives = outlives});
}

// Pointers as numbers, independent of addresses.
void FunctionGenerator::pointer_numbers() {
  Pointer p;
  if (!choose_pointer(kMinBytes, false, p)) return arithmetic();
  p.domain = Literal();
  // The integer may be wider than pointers.
  Type number_type = options_.pointer_bits == 64 || random_.coin() ? word() : Type::i64;
  uint32_t offset = 8 * random_.below((p.size - kMinBytes) / 8 + 1);
  switch (random_.below(3)) {
    case 0: {
      Reg number = builder_.convert(Opcode::Ptrtoint, Type::ptr, number_type, p.address);
      if (offset != 0) {
        number = builder_.op(Opcode::Add, number_type, {Operand::reg(number), constant(number_type, offset)});
        p.size -= offset;
        p.align = std::min(p.align, 8u);
      }
      Reg back = fresh(Type::ptr);
      builder_.into(back);
      builder_.convert(Opcode::Inttoptr, number_type, Type::ptr, Operand::reg(number));
      add_pointer(back, p);
      break;
    }
    case 1: {
      Reg later = builder_.ptradd(p.address, constant(word(), offset));
      Reg a = builder_.convert(Opcode::Ptrtoint, Type::ptr, number_type, Operand::reg(later));
      Reg b = builder_.convert(Opcode::Ptrtoint, Type::ptr, number_type, p.address);
      last(Opcode::Sub, number_type, {Operand::reg(a), Operand::reg(b)});
      break;
    }
    default: {
      Pointer q;
      if (!choose_pointer(kMinBytes, false, q)) q = p;
      Reg same = fresh(Type::i1);
      builder_.into(same);
      builder_.cmp(random_.coin() ? Cond::eq : Cond::ne, Type::ptr, p.address, q.address);
      make_stable(same);
      break;
    }
  }
}

// An access that nothing but its guard keeps in bounds.
void FunctionGenerator::bounded_access() {
  Type type = value_type();
  Pointer p;
  bool writes = random_.percent(40);
  if (!options_.guards || !choose_pointer(kMinBytes, writes, p)) return load();
  Operand index = pick_reg(word());
  uint32_t width = byte_size(type);
  Reg inside = fresh(Type::i1);
  builder_.into(inside);
  builder_.cmp(Cond::ult, word(), index, constant(word(), p.size / width));
  Literal literal = make_stable(inside);
  mode_ = {Guard(inside, false), literal, random_.coin()};
  guard_steps();
  builder_.into(temporary(Type::ptr));
  Operand address = Operand::reg(builder_.ptrindex(p.address, index, width, 0));
  uint64_t align = access_align({address, std::min(p.align, width)}, type);
  if (writes) {
    Operand value = pick(type, true);
    guard_last();
    builder_.store(type, value, address, align);
  } else {
    builder_.into(result(type));
    builder_.load(type, address, align);
  }
}

void FunctionGenerator::local_slot() {
  if (times_ > kMaxSlotTimes) return load();
  Literal literal = options_.guards && random_.percent(30) ? some_stable() : Literal();
  if (!literal.is_none()) mode_ = {Guard(predicate_of(literal)), literal, true};
  uint32_t size = kMinBytes << random_.below(2);
  Operand bytes = constant(word(), size);
  if (random_.percent(30)) {
    // Of a size that is not known before.
    Reg more = step(Opcode::And, word(), {pick_reg(word()), constant(word(), 31)});
    bytes = Operand::reg(step(Opcode::Add, word(), {Operand::reg(more), bytes}));
  }
  Reg slot = fresh(Type::ptr);
  guard_last();
  builder_.into(slot);
  builder_.slot(bytes, 8);
  Operand byte = pick(Type::i8);
  builder_.effect(Opcode::Memset, {Operand::reg(slot), byte, bytes});
  scope_.pointers.push_back({.address = Operand::reg(slot),
                             .size = size,
                             .object = static_cast<int32_t>(environment_.data.size() + slot.index()),
                             .domain = literal});
}

// A block from the heap, gone again at the pattern's end.
void FunctionGenerator::heap() {
  if (!options_.memory) return observe();
  int64_t size = kMinBytes << random_.below(3);
  Reg block;
  if (random_.coin()) {
    block = builder_.call(Type::ptr, Operand::symbol(environment_.external(External::Malloc)),
                          std::array{constant(word(), size)});
    Operand byte = pick(Type::i8);
    builder_.effect(Opcode::Memset, {Operand::reg(block), byte, constant(word(), size)});
  } else {
    block = builder_.call(Type::ptr, Operand::symbol(environment_.external(External::Calloc)),
                          std::array{constant(word(), size / 8), constant(word(), 8)});
  }
  Operand value = pick(Type::i32);
  Reg at = builder_.ptradd(Operand::reg(block), constant(word(), 4 * random_.range(0, size / 4 - 1)));
  builder_.store(Type::i32, value, Operand::reg(at));
  if (random_.percent(30)) {
    block = builder_.call(Type::ptr, Operand::symbol(environment_.external(External::Realloc)),
                          std::array{Operand::reg(block), constant(word(), 2 * size)});
  }
  if (random_.coin()) {
    Type type = random_.coin() ? Type::i64 : Type::i32;
    builder_.into(result(type));
    builder_.load(type, Operand::reg(block));
  }
  builder_.call(Type::none, Operand::symbol(environment_.external(External::Free)),
                std::array{Operand::reg(block)});
}

}  // namespace psi::testing
