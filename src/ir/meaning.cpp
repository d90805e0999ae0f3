// Expansion keeps what a machine instruction promises: it reads all operands before it writes any result, and
// does nothing where its guard is false.
//
//     %p ? %d = tiny.ldw.post %b, 4            %p ? %1 = inttoptr.i32.ptr %b
//                                     =>       %p ? %n = add.i32 %b, 4
//                                              %p ? %d = load.i32 %1
#include "psi/ir/meaning.h"

#include "psi/ir/instruction_set.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

class Expander {
 public:
  explicit Expander(const Function& from) : from_(from), set_(*from.instruction_set) {
    out_.function = from;
    out_.function.instruction_set = nullptr;
  }

  Expanded run() {
    Function& to = out_.function;
    out_.origins.resize(from_.num_insts());
    for (uint32_t i = 0; i < from_.num_insts(); ++i) out_.origins[i] = InstId(i);
    for (BlockId block : from_.layout()) {
      body_.clear();
      ending_.clear();
      bool has_machine = false;
      for (InstId id : from_.insts(block)) {
        const Inst& inst = from_.inst(id);
        has_machine |= inst.is_machine();
        if (inst.is_machine()) {
          expand(id);
        } else {
          (inst.is_terminator() ? ending_ : body_).push_back(id);
        }
      }
      if (!has_machine) continue;
      body_.insert(body_.end(), ending_.begin(), ending_.end());
      to.set_insts(block, body_);
    }
    return std::move(out_);
  }

 private:
  // What stands before a branch in the meaning of a terminator goes before all terminators.
  InstId add(const Inst& inst, std::span<const Operand> operands, InstId origin) {
    InstId id = out_.function.add_inst(inst, operands);
    out_.function.copy_place(origin, id);
    out_.origins.push_back(origin);
    (inst.is_terminator() ? ending_ : body_).push_back(id);
    return id;
  }

  Operand convert(Operand value, Type from, Type to, Guard guard, InstId origin) {
    if (from == to || value.is_block()) return value;
    Function& f = out_.function;
    if (value.is_undef()) return Operand::undef(to);
    if (value.is_literal()) return f.literal(to, f.literal_bits(value));
    // Between pointers and floating-point numbers by an integer of their width.
    if (!is_int(from) && !is_int(to)) {
      Type middle = set_.pointer_bits() == 32 ? Type::i32 : Type::i64;
      value = convert(value, from, middle, guard, origin);
      from = middle;
    }
    Inst inst;
    inst.op = from == Type::ptr ? Opcode::Ptrtoint : to == Type::ptr ? Opcode::Inttoptr : Opcode::Bitcast;
    inst.type = to;
    inst.set_from(from);
    inst.guard = guard;
    inst.results[0] = f.add_reg(to);
    add(inst, {&value, 1}, origin);
    return inst.results[0];
  }

  void expand(InstId id) {
    const Inst& inst = from_.inst(id);
    const MachineForm& form = set_.form(inst);
    const Meaning& meaning = form.meaning;
    const Function& body = meaning.body;
    if (body.is_declaration()) return expand_opaque(id);
    std::span<const Operand> operands = from_.operands(inst);

    values_.assign(body.num_regs(), Operand());
    for (size_t i = 0; i < form.operands.size(); ++i) {
      if (!meaning.operands[i]) continue;
      const MachineOperand& operand = form.operands[i];
      bool is_symbol = operand.kind == MachineOperand::Kind::Symbol;
      values_[meaning.operands[i].index()] =
          is_symbol ? operands[i]
                    : convert(operands[i], from_.type(operands[i]), operand.type, inst.guard, id);
    }
    // A result that is written directly must not be an operand that is still to be read.
    bool in_place = is_ssa(from_.form);
    std::array<Reg, 2> results = inst.results;
    for (size_t k = 0; in_place && k < form.results.size(); ++k) {
      Reg made = meaning.results[k];
      if (!made) continue;
      if (from_.type(results[k]) == body.type(made) && values_[made.index()].is_none()) {
        values_[made.index()] = results[k];
      }
    }
    std::span<const InstId> insts = body.insts(body.entry());
    for (InstId step : insts) expand_step(form, body, step, id);

    for (size_t k = 0; k < form.results.size(); ++k) {
      // A register that is only clobbered, as a link register, holds nothing that a program may read.
      Type type = from_.type(results[k]);
      Operand made = Operand::undef(type);
      if (Reg from = meaning.results[k]) {
        made = values_[from.index()];
        if (made == Operand(results[k])) continue;
        made = convert(made, body.type(from), type, inst.guard, id);
      }
      Inst copy;
      copy.op = Opcode::Mov;
      copy.type = type;
      copy.guard = inst.guard;
      copy.results[0] = results[k];
      add(copy, {&made, 1}, id);
    }
  }

  // What has no meaning may not be executed: it becomes undefined behaviour, under its guard.
  void expand_opaque(InstId id) {
    const Inst& inst = from_.inst(id);
    Inst store;
    store.op = Opcode::Store;
    store.type = Type::i8;
    store.guard = inst.guard;
    Operand operands[] = {Operand::small(Type::i8, 0), Operand::small(Type::ptr, 0)};
    add(store, operands, id);
    for (Reg result : inst.results) {
      if (!result) continue;
      Inst copy;
      copy.op = Opcode::Mov;
      copy.type = from_.type(result);
      copy.guard = inst.guard;
      copy.results[0] = result;
      Operand undef = Operand::undef(copy.type);
      add(copy, {&undef, 1}, id);
    }
  }

  void expand_step(const MachineForm& form, const Function& body, InstId step, InstId id) {
    const Inst& machine = from_.inst(id);
    Function& to = out_.function;
    Inst inst = body.inst(step);
    operands_.clear();
    for (Operand operand : body.operands(step)) operands_.push_back(in_function(form, body, operand, id));
    inst.guard = guard_for(body, inst.guard, machine.guard, id);
    inst.flags = (inst.flags | (machine.flags & Inst::kVolatile)) & 0xff;
    if (!touches_memory(inst)) inst.flags = inst.flags & (0xffu & ~Inst::kVolatile);
    if (step == form.meaning.variable) {
      std::span<const Operand> given = from_.operands(id).subspan(form.operands.size());
      operands_.insert(operands_.end(), given.begin(), given.end());
      if (form.variable_result && machine.num_results() > form.results.size()) {
        inst.results[0] = machine.results[form.results.size()];
        inst.type = to.type(inst.results[0]);
      }
    } else {
      for (Reg& result : inst.results) {
        if (!result) continue;
        Operand& value = values_[result.index()];
        if (value.is_none()) value = to.add_reg(body.type(result));
        result = value.reg();
      }
    }
    InstId made = add(inst, operands_, id);
    if (inst.is_terminator()) {
      if (auto counts = from_.edge_counts(id); !counts.empty() && to.edge_counts(made).empty()) {
        size_t targets = 0;
        to.for_each_target(inst_of(made), [&](BlockId) { ++targets; });
        if (targets == counts.size()) to.set_edge_counts(made, counts);
      }
    }
  }

  const Inst& inst_of(InstId id) const { return out_.function.inst(id); }

  static bool touches_memory(const Inst& inst) {
    return inst.format() == Format::Load || inst.format() == Format::Store ||
           inst.format() == Format::MemCopy || inst.format() == Format::MemSet;
  }

  Operand in_function(const MachineForm& form, const Function& body, Operand operand, InstId id) {
    switch (operand.kind()) {
      case Operand::Kind::Reg:
      case Operand::Kind::NotReg: {
        Operand value = values_[operand.reg().index()];
        if (!operand.is_negated()) return value;
        return value.reads_reg() ? Operand::not_reg(value.reg()) : complement(value);
      }
      case Operand::Kind::Small:
      case Operand::Kind::Pooled:
        return out_.function.literal(operand.literal_type(), body.literal_bits(operand));
      case Operand::Kind::Block:
        for (size_t i = 0; i < form.operands.size(); ++i) {
          if (form.meaning.targets[i] == operand.block()) return from_.operands(id)[i];
        }
        return operand;
      default:
        return operand;
    }
  }

  // Both guards: that of a step within the meaning, and that of the machine instruction.
  Guard guard_for(const Function& body, Guard inner, Guard outer, InstId id) {
    if (!inner) return outer;
    Operand value = values_[inner.reg().index()];
    if (inner.is_negated()) value = complement(value);
    // A literal or undef predicate needs a register of its own.
    if (!outer && value.reads_reg()) return Guard(value);
    (void)body;
    Function& to = out_.function;
    Inst both;
    both.op = Opcode::Cmpp;
    both.type = Type::i1;
    bool negated = value.is_negated();
    both.set_cond(negated ? Cond::eq : Cond::ne);
    both.set_actions(Action::un, Action::none);
    both.results[0] = to.add_reg(Type::i1);
    Operand left = value.reads_reg() ? Operand(value.reg()) : value;
    Operand operands[] = {left, Operand::never(), outer.as_operand()};
    add(both, operands, id);
    return Guard(both.results[0]);
  }

  const Function& from_;
  const InstructionSet& set_;
  Expanded out_;
  std::vector<Operand> values_;  // by register of the meaning: what stands for it
  std::vector<Operand> operands_;
  std::vector<InstId> body_, ending_;
};

}  // namespace

Expanded expand_meanings(const Function& function) {
  if (function.instruction_set) return Expander(function).run();
  Expanded same;
  same.function = function;
  same.origins.resize(function.num_insts());
  for (uint32_t i = 0; i < function.num_insts(); ++i) same.origins[i] = InstId(i);
  return same;
}

}  // namespace psi
