#include "select/legalise/facts.h"

#include <algorithm>
#include <utility>

namespace psi::select {

TargetFacts::TargetFacts(std::array<bool, kNumTypes> held, unsigned pointer_bits)
    : held_(held), pointer_bits_(pointer_bits) {
  auto integer = [&](Type type) -> Carrier {
    if (holds(type)) return {Carrier::Kind::Same, type};
    if (type == Type::i1) return {};
    for (Type wider : {Type::i8, Type::i16, Type::i32, Type::i64}) {
      if (wider > type && holds(wider)) return {Carrier::Kind::Wide, wider};
    }
    if (type == Type::i64 && holds(Type::i32)) return {Carrier::Kind::Split, Type::i32};
    return {};
  };
  for (int i = 0; i < kNumTypes; ++i) {
    Type type = static_cast<Type>(i);
    Carrier& carrier = carriers_[static_cast<size_t>(i)];
    if (is_int(type)) {
      carrier = integer(type);
    } else if (holds(type)) {
      carrier = {Carrier::Kind::Same, type};
    } else if (is_float(type)) {
      carrier = integer(type == Type::f32 ? Type::i32 : Type::i64);
      // Its bits are in a register for integers.
      if (carrier.kind == Carrier::Kind::Same) carrier.kind = Carrier::Kind::Wide;
    }
  }
}

Type TargetFacts::canonical(Opcode op, Type type) const {
  bool only_bits = op == Opcode::Mov || op == Opcode::Select || op == Opcode::Load || op == Opcode::Store ||
                   op == Opcode::Freeze;
  if (type == Type::ptr) return address_type();
  if (only_bits && is_float(type) && shared_[static_cast<size_t>(type)]) {
    return type == Type::f32 ? Type::i32 : Type::i64;
  }
  return type;
}

namespace {

bool is_extension(Opcode op) { return op == Opcode::Zext || op == Opcode::Sext; }

}  // namespace

void TargetFacts::add_form(uint32_t index, const MachineForm& form) {
  if (form.by_name || form.is_opaque || form.is_boundary) return;
  const Function& body = form.meaning.body;
  if (body.layout().empty()) return;
  std::span<const InstId> insts = body.insts(body.entry());
  Covering covering = {index, form.takes_guard, form.takes_negated_guard};
  auto note = [&](Covering& of) {
    of.form = index;
    of.takes_guard |= form.takes_guard;
    of.takes_negated_guard |= form.takes_negated_guard;
  };
  if (form.is_call) return note(call_);
  if (form.is_return) return note(return_);

  auto at = [&](Opcode op) {
    return std::ranges::find_if(insts, [&](InstId id) { return body.inst(id).op == op; });
  };
  auto defines = [&](Reg reg) -> const Inst* {
    for (InstId id : insts) {
      if (body.inst(id).results[0] == reg) return &body.inst(id);
    }
    return nullptr;
  };
  if (auto branch = at(Opcode::Br); branch != insts.end()) {
    // A branch on a predicate that is an operand is a guarded one, too.
    if (body.inst(*branch).guard) covering.takes_guard = true;
    branch_.form = index;
    branch_.takes_guard |= covering.takes_guard;
    branch_.takes_negated_guard |= form.takes_negated_guard;
    return;
  }
  if (auto load = at(Opcode::Load); load != insts.end()) {
    const Inst& inst = body.inst(*load);
    Access access = {false,
                     canonical(Opcode::Load, inst.type),
                     canonical(Opcode::Load, inst.type),
                     Opcode::Mov,
                     inst.align(),
                     covering};
    for (Reg result : form.meaning.results) {
      const Inst* made = result ? defines(result) : nullptr;
      bool extends = made && is_extension(made->op) &&
                     std::as_const(body).operands(*made)[0] == Operand(inst.results[0]);
      if (extends) access.extension = made->op, access.wide = made->type;
      if (extends || (made && made == &inst)) accesses_.push_back(access);
    }
    return;
  }
  if (auto store = at(Opcode::Store); store != insts.end()) {
    const Inst& inst = body.inst(*store);
    Access access = {true,
                     canonical(Opcode::Store, inst.type),
                     canonical(Opcode::Store, inst.type),
                     Opcode::Mov,
                     inst.align(),
                     covering};
    Operand value = std::as_const(body).operands(*store)[0];
    if (const Inst* made = value.is_reg() ? defines(value.reg()) : nullptr) {
      if (made->op != Opcode::Trunc) return;
      access.extension = Opcode::Trunc, access.wide = made->from();
    }
    accesses_.push_back(access);
    return;
  }

  const Inst* root = insts.empty() ? nullptr : &body.inst(insts.back());
  if (insts.size() == 2 && is_extension(root->op) && body.inst(insts[0]).op == Opcode::Trunc &&
      std::as_const(body).operands(*root)[0] == Operand(body.inst(insts[0]).results[0])) {
    // An extension within a register: kept as an entry of the extension whose source is `narrow`.
    accesses_.push_back({false, root->from(), root->type, root->op, 0, covering});
    return;
  }
  if (insts.size() != 1) return;
  Entry entry;
  entry.op = root->op;
  entry.type = canonical(root->op, root->type);
  entry.kind = root->kind;
  if (root->op == Opcode::Cmpp) entry.actions = root->extra;
  entry.covering = covering;
  entry.form = &form;
  for (Operand operand : std::as_const(body).operands(*root)) {
    if (operand.is_block()) continue;
    if (root->op == Opcode::Cmpp && operand == Operand::always()) {
      entry.has_input = false;
      break;
    }
    if (operand.is_negated()) return;
    auto param = std::ranges::find(form.meaning.operands, operand.is_reg() ? operand.reg() : Reg());
    if (!operand.is_reg() || param == form.meaning.operands.end()) {
      // A literal in the meaning, or the arguments of a call.
      if (root->format() != Format::Call && root->format() != Format::Return) return;
      continue;
    }
    entry.order.push_back(static_cast<uint8_t>(param - form.meaning.operands.begin()));
  }
  by_opcode_[static_cast<size_t>(root->op)].push_back(static_cast<uint32_t>(entries_.size()));
  entries_.push_back(std::move(entry));
}

bool TargetFacts::fits(const Entry& entry, const Function& function, const Inst& inst,
                       std::span<const Operand> operands) const {
  if (entry.type != canonical(inst.op, inst.type)) return false;
  auto takes = [&](std::span<const uint8_t> order) {
    for (size_t i = 0; i < order.size() && i < operands.size(); ++i) {
      const MachineOperand& wanted = entry.form->operands[order[i]];
      if (wanted.kind == MachineOperand::Kind::Register) continue;
      if (wanted.kind == MachineOperand::Kind::Symbol) {
        if (!operands[i].is_symbol()) return false;
        continue;
      }
      if (wanted.kind != MachineOperand::Kind::Literal || !operands[i].is_literal()) return false;
      uint64_t bits = function.literal_bits(operands[i]);
      Type type = operands[i].literal_type();
      if (std::ranges::none_of(wanted.literals, [&](const auto& each) { return each.holds(bits, type); })) {
        return false;
      }
    }
    return true;
  };
  std::vector<uint8_t> exchanged = entry.order;
  if (exchanged.size() >= 2) std::swap(exchanged[0], exchanged[1]);
  if (inst.format() == Format::Compare) {
    return (entry.kind == inst.kind && takes(entry.order)) ||
           (entry.kind == static_cast<uint8_t>(swap_operands(inst.cond())) && takes(exchanged));
  }
  if (inst.op == Opcode::Cmpp) {
    if (entry.kind != inst.kind || entry.actions != inst.extra) return false;
    if (!entry.has_input && operands[2] != Operand::always()) return false;
    return !operands[2].is_negated() && takes(entry.order);
  }
  if (inst.format() == Format::Convert) {
    // Pointers as integers of their width.
    if (canonical(inst.op, static_cast<Type>(entry.kind)) != canonical(inst.op, inst.from())) return false;
  }
  return takes(entry.order) || (is_commutative(inst.op) && takes(exchanged));
}

const TargetFacts::Entry* TargetFacts::find(const Function& function, const Inst& inst,
                                            std::span<const Operand> operands, bool wants_guard) const {
  for (uint32_t i : by_opcode_[static_cast<size_t>(inst.op)]) {
    const Entry& entry = entries_[i];
    if (wants_guard && !entry.covering.takes_guard) continue;
    if (wants_guard && inst.guard.is_negated() && !entry.covering.takes_negated_guard) continue;
    if (fits(entry, function, inst, operands)) return &entry;
  }
  return nullptr;
}

bool TargetFacts::covers(const Function& function, const Inst& inst,
                         std::span<const Operand> operands) const {
  if (inst.op == Opcode::Load || inst.op == Opcode::Store) {
    Type type = canonical(inst.op, inst.type);
    return std::ranges::any_of(accesses_, [&](const Access& each) {
      return each.align != 0 && each.is_store == (inst.op == Opcode::Store) && each.narrow == type &&
             each.extension == Opcode::Mov && inst.align() >= each.align;
    });
  }
  return find(function, inst, operands, false) != nullptr;
}

bool TargetFacts::covers(Opcode op, Type type, uint8_t kind) const {
  return std::ranges::any_of(by_opcode_[static_cast<size_t>(op)], [&](uint32_t i) {
    const Entry& entry = entries_[i];
    if (entry.type != canonical(op, type) || entry.kind != kind) return false;
    return std::ranges::all_of(entry.order, [&](uint8_t operand) {
      return entry.form->operands[operand].kind == MachineOperand::Kind::Register;
    });
  });
}

bool TargetFacts::takes_guard(const Function& function, const Inst& inst,
                              std::span<const Operand> operands) const {
  auto takes = [&](const Covering& covering) {
    return covering.takes_guard && (!inst.guard.is_negated() || covering.takes_negated_guard);
  };
  if (inst.op == Opcode::Call) return takes(call_);
  if (inst.op == Opcode::Ret) return takes(return_);
  if (inst.op == Opcode::Br) return takes(branch_);
  // What selection takes for another instruction.
  Inst other = inst;
  if (inst.op == Opcode::PtrAdd) {
    other.op = Opcode::Add;
    other.type = address_type();
    return find(function, other, operands, true) != nullptr;
  }
  if (inst.op == Opcode::Freeze || inst.op == Opcode::Ptrtoint || inst.op == Opcode::Inttoptr ||
      inst.op == Opcode::Bitcast) {
    other.op = Opcode::Mov;
    return find(function, other, operands, true) != nullptr;
  }
  if (inst.op == Opcode::Load || inst.op == Opcode::Store) {
    Type type = canonical(inst.op, inst.type);
    return std::ranges::any_of(accesses_, [&](const Access& each) {
      return each.align != 0 && each.is_store == (inst.op == Opcode::Store) && each.narrow == type &&
             takes(each.covering);
    });
  }
  return find(function, inst, operands, true) != nullptr;
}

std::optional<Opcode> TargetFacts::extending_load(Type narrow, Type wide) const {
  std::optional<Opcode> found;
  for (const Access& each : accesses_) {
    if (each.align == 0 || each.is_store || each.narrow != narrow || each.wide != wide) continue;
    if (each.extension == Opcode::Zext) return Opcode::Zext;
    if (each.extension == Opcode::Sext) found = Opcode::Sext;
  }
  return found;
}

bool TargetFacts::has_truncating_store(Type narrow, Type wide) const {
  return std::ranges::any_of(accesses_, [&](const Access& each) {
    return each.is_store && each.narrow == narrow && each.wide == wide && each.extension == Opcode::Trunc;
  });
}

uint64_t TargetFacts::access_align(Type type) const {
  if (type == Type::ptr) type = address_type();
  uint64_t natural = byte_size(type), least = natural;
  for (const Access& each : accesses_) {
    if (each.align != 0 && each.narrow == canonical(Opcode::Load, type)) least = std::min(least, each.align);
  }
  return least;
}

bool TargetFacts::extends_in_register(Opcode op, Type narrow, Type wide) const {
  return std::ranges::any_of(accesses_, [&](const Access& each) {
    return each.align == 0 && each.narrow == narrow && each.wide == wide && each.extension == op;
  });
}

}  // namespace psi::select
