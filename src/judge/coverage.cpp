// Operations that neither a form nor an expansion covers. An operation is an opcode with its types and, for a
// compare, its condition. Of types, those that registers hold count, and i64: where it is not held it is
// split. Narrow integers are promoted, addresses are integers; neither needs operations of its own.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/check_inst.h"
#include "judge/judge.h"

namespace psi::judge {
namespace {

// An operation: what the opcode's record says but its operands.
struct Operation {
  Opcode op = Opcode::Add;
  Type type = Type::none;
  uint8_t kind = 0;  // condition, or the type that is converted
  auto operator<=>(const Operation&) const = default;
};

Operation operation_of(const Inst& inst) {
  bool has_kind = inst.format() == Format::Compare || inst.format() == Format::Convert;
  return {inst.op, inst.type, has_kind ? inst.kind : uint8_t{0}};
}

std::string name_of(const Operation& operation) {
  std::string text(info(operation.op).name);
  if (info(operation.op).format == Format::Convert)
    text += fmt::format(".{}", type_name(static_cast<Type>(operation.kind)));
  if (info(operation.op).format == Format::Compare)
    text += fmt::format(".{}", cond_name(static_cast<Cond>(operation.kind)));
  if (operation.type != Type::none) text += fmt::format(".{}", type_name(operation.type));
  return text;
}

class CoverageJudge {
 public:
  CoverageJudge(const TargetDescription& description, target::Problems& problems)
      : d_(description), problems_(problems) {}

  void run() {
    for (uint32_t i = 0; i < d_.instructions->num_forms(); ++i) {
      if (is_selectable(d_.instructions->form(i))) add_form(d_.instructions->form(i));
    }
    for (uint32_t i = 0; i < d_.expansions.size(); ++i) add_expansion(i);
    for (const Operation& operation : wanted()) judge(operation);
    judge_control();
    judge_moves();
  }

 private:
  bool is_held(Type type) const { return d_.class_for(type) != kNone; }
  Type address_type() const { return d_.pointer_bits == 32 ? Type::i32 : Type::i64; }

  // An address is an integer.
  Operation normal(Operation operation) const {
    if (operation.type == Type::ptr) operation.type = address_type();
    return operation;
  }

  // --- Forms ----------------------------------------------------------------------------------------

  // What the form does if it does one thing, conversions of its operands and results aside, on registers.
  void add_form(const MachineForm& form) {
    const Function& body = form.meaning.body;
    if (body.num_blocks() == 0) return;
    std::vector<bool> is_register(body.num_regs());  // holds an operand, perhaps converted
    for (size_t i = 0; i < form.operands.size(); ++i) {
      Reg r = form.meaning.operands[i];
      if (r && form.operands[i].kind == MachineOperand::Kind::Register) is_register[r.index()] = true;
    }
    std::optional<InstId> found;
    for (InstId id : body.insts(body.entry())) {
      const Inst& inst = body.inst(id);
      bool converts = inst.format() == Format::Convert;
      if (converts && !found && body.operands(id)[0].is_reg() &&
          is_register[body.operands(id)[0].reg().index()]) {
        is_register[inst.results[0].index()] = true;
        conversions_.push_back(operation_of(inst));
      }
      if (converts || is_address(form, id)) continue;
      if (found) return conversions_.clear();
      found = id;
    }
    if (!found) {
      for (const Operation& conversion : conversions_) covered_[normal(conversion)] = true;
    } else if (reads_registers(form, *found, is_register)) {
      add(body.inst(*found), form);
    }
    conversions_.clear();
  }

  // The sum that an address is.
  bool is_address(const MachineForm& form, InstId id) const {
    const Inst& inst = form.meaning.body.inst(id);
    if (form.effect != Effect::Read && form.effect != Effect::Write) return false;
    return !form.is_call && inst.op != Opcode::Load && inst.op != Opcode::Store;
  }

  bool reads_registers(const MachineForm& form, InstId id, const std::vector<bool>& is_register) const {
    const Inst& inst = form.meaning.body.inst(id);
    if (inst.op == Opcode::Load || inst.op == Opcode::Store || inst.is_terminator() ||
        inst.op == Opcode::Call)
      return true;
    for (Operand operand : form.meaning.body.operands(id)) {
      bool is_absent_input = inst.op == Opcode::Cmpp && operand == Operand::always();
      if (operand.is_reg() ? !is_register[operand.reg().index()] : !is_absent_input) return false;
    }
    return true;
  }

  void add(const Inst& inst, const MachineForm& form) {
    if (inst.op == Opcode::Cmpp) {
      for (int i = 0; i < 2; ++i) {
        Action action = inst.action(i);
        if (action_class(action) != ActionClass::Unconditional) continue;
        Cond cond = is_complement(action) ? negate(inst.cond()) : inst.cond();
        add_compare(cond, inst.type);
      }
      return;
    }
    if (inst.op == Opcode::Cmp) return add_compare(inst.cond(), inst.type);
    if (inst.op == Opcode::Br) {
      bool by_guard = form.takes_guard && !inst.guard;
      has_jump_ |= !inst.guard;
      has_branch_ |= by_guard || static_cast<bool>(inst.guard);
      return;
    }
    covered_[normal(operation_of(inst))] = true;
  }

  // Operands may be exchanged.
  void add_compare(Cond cond, Type type) {
    covered_[normal({Opcode::Cmp, type, static_cast<uint8_t>(cond)})] = true;
    covered_[normal({Opcode::Cmp, type, static_cast<uint8_t>(swap_operands(cond))})] = true;
  }

  // --- Expansions -----------------------------------------------------------------------------------

  void add_expansion(uint32_t index) {
    const Expansion& expansion = d_.expansions[index];
    bool has_halves =
        std::ranges::any_of(expansion.params, [](const auto& part) { return part.half != Half::Whole; }) ||
        std::ranges::any_of(expansion.values, [](const auto& part) { return part.half != Half::Whole; });
    // An expansion in halves is for types that are not held; one for some literals covers not all.
    if (has_halves && is_held(Type::i64)) return;
    for (const Expansion::Operand& operand : expansion.operands) {
      bool is_default = expansion.pattern.op == Opcode::Cmpp && operand.literal;
      if (operand.immediate != kNone || (operand.literal && !is_default)) return;
    }
    expansions_.emplace(normal(operation_of(expansion.pattern)), index);
  }

  // Follows the expansions of an operation. The path shows where they come back.
  bool covers(const Operation& asked) {
    Operation operation = normal(asked);
    if (auto known = covered_.find(operation); known != covered_.end()) return known->second;
    if (auto begin = std::ranges::find(path_, operation); begin != path_.end()) {
      std::vector<Operation>& cycle = cycles_[operation];
      cycle.assign(begin, path_.end());
      cycle.push_back(operation);
      return false;
    }
    auto found = expansions_.find(operation);
    if (found == expansions_.end()) return covered_[operation] = false;
    path_.push_back(operation);
    bool all = true;
    const Function& function = d_.code->function(d_.expansions[found->second].function);
    for (InstId id : function.insts(function.entry())) {
      const Inst& inst = function.inst(id);
      if (is_free(inst) || covers(operation_of(inst))) continue;
      if (all) missing_[operation] = operation_of(inst);
      all = false;
    }
    path_.pop_back();
    return covered_[operation] = all;
  }

  // Instructions that need no form of their own, and calls.
  bool is_free(const Inst& inst) const {
    if (inst.is_copy() || inst.is_psi() || inst.is_phi() || inst.op == Opcode::Freeze ||
        inst.op == Opcode::Call)
      return true;
    if (inst.is_terminator() || inst.format() == Format::Machine) return true;
    // Bits of a type that no class holds are an integer already.
    if (inst.op == Opcode::Bitcast) return is_shared(inst.type) || is_shared(inst.from());
    if (inst.op == Opcode::Inttoptr || inst.op == Opcode::Ptrtoint) return true;
    // Narrow integers are kept in wider ones.
    if (inst.format() == Format::Convert && is_int(inst.from()) && is_int(inst.type)) {
      Type narrow = bit_width(inst.from()) < bit_width(inst.type) ? inst.from() : inst.type;
      return narrow == Type::i8 || narrow == Type::i16;
    }
    return false;
  }

  // A floating-point type without registers of its own.
  bool is_shared(Type type) const {
    if (!is_float(type)) return false;
    uint32_t held = d_.class_for(type);
    return held == kNone || d_.classes[held].holds(type == Type::f32 ? Type::i32 : Type::i64);
  }

  // --- What there must be ----------------------------------------------------------------------------

  std::vector<Operation> wanted() const {
    std::vector<Operation> all;
    for (int o = 0; o < kNumGenericOpcodes; ++o) {
      Opcode op = static_cast<Opcode>(o);
      for (int t = 0; t < kNumTypes; ++t) {
        Type type = static_cast<Type>(t);
        if (!takes_type(op, type) || !is_wanted(type)) continue;
        switch (info(op).format) {
          case Format::Binary:
          case Format::Unary:
          case Format::Ternary:
          case Format::Overflow:
            if (op == Opcode::Freeze || (type == Type::i1 && !is_logic(op))) continue;
            all.push_back({op, type, 0});
            break;
          case Format::Select:
          case Format::Load:
          case Format::Store:
            if (type == Type::i1 && op != Opcode::Select) continue;
            if (type == Type::i64 && !is_held(type) && op != Opcode::Select) continue;
            if (is_shared(type)) continue;
            all.push_back({op, type, 0});
            break;
          case Format::Compare:
            if (op == Opcode::Cmp) add_conditions(type, all);
            break;
          case Format::Convert:
            add_conversions(op, type, all);
            break;
          default:
            break;
        }
      }
    }
    return all;
  }

  bool is_wanted(Type type) const {
    return type == Type::i1 || type == Type::i64 || is_float(type) || (is_int(type) && is_held(type));
  }
  static bool is_logic(Opcode op) {
    return op == Opcode::And || op == Opcode::Or || op == Opcode::Xor || op == Opcode::Not;
  }

  void add_conditions(Type type, std::vector<Operation>& all) const {
    for (int c = 0; c < kNumConds; ++c) {
      Cond cond = static_cast<Cond>(c);
      if (is_float_cond(cond) != is_float(type)) continue;
      all.push_back({Opcode::Cmp, type, static_cast<uint8_t>(c)});
    }
  }

  void add_conversions(Opcode op, Type to, std::vector<Operation>& all) const {
    for (int f = 0; f < kNumTypes; ++f) {
      Type from = static_cast<Type>(f);
      if (!converts(op, from, to) || !is_wanted(from) || from == Type::ptr) continue;
      Inst inst;
      inst.op = op;
      inst.type = to;
      inst.set_from(from);
      if ((is_float(from) && to == Type::i1) || (is_float(to) && from == Type::i1)) continue;
      if (from == Type::i1 && to == Type::i64 && !is_held(to)) continue;
      if (to == Type::i1 && from == Type::i64 && !is_held(from)) continue;
      if (!is_free(inst)) all.push_back({op, to, static_cast<uint8_t>(from)});
    }
  }

  void judge(const Operation& operation) {
    if (covers(operation)) return;
    auto cycle = cycles_.find(normal(operation));
    if (cycle == cycles_.end()) {
      // What an expansion needs is reported itself.
      if (!missing_.contains(normal(operation))) {
        problems_.error(place_, fmt::format("nothing covers '{}'", name_of(operation)));
      }
      return;
    }
    std::string path;
    for (const Operation& each : cycle->second) {
      path += fmt::format("{}{}", path.empty() ? "" : ", ", info(each.op).name);
    }
    Location where = d_.expansions[expansions_.at(normal(operation))].where;
    problems_.error(where.line == 0 ? place_ : where,
                    fmt::format("the expansion of '{}' never ends: {}", name_of(operation), path));
  }

  void judge_control() {
    if (!has_jump_) problems_.error(place_, "nothing covers 'br'");
    if (!has_branch_) problems_.error(place_, "nothing covers a conditional 'br'");
    auto has = [&](auto&& is) { return std::ranges::any_of(d_.instructions->forms(), is); };
    if (!has([](const MachineForm& form) { return is_selectable(form) && form.is_call; })) {
      problems_.error(place_, "nothing covers 'call'");
    }
    if (!has([](const MachineForm& form) { return is_selectable(form) && form.is_return; })) {
      problems_.error(place_, "nothing covers 'ret'");
    }
  }

  // A value can be copied, and put on the stack; constants and addresses can be made.
  void judge_moves() {
    using Kind = Sequence::Kind;
    for (uint32_t c = 0; c < d_.classes.size(); ++c) {
      const MachineRegisterClass& one = d_.classes[c];
      if (one.kind != MachineRegisterClass::Kind::File && one.kind != MachineRegisterClass::Kind::Pairs)
        continue;
      bool holds_values = std::ranges::any_of(one.types, [&](Type type) { return d_.class_for(type) == c; });
      if (!holds_values) continue;
      for (Kind kind : {Kind::Copy, Kind::Constant, Kind::Spill, Kind::Reload}) {
        if (!d_.sequence(kind, c)) {
          problems_.error(
              place_, fmt::format("no form and no sequence is a {} for '{}'", sequence_name(kind), one.name));
        }
      }
      if (one.holds(Type::ptr) && !d_.sequence(Kind::Address, c)) {
        problems_.error(
            place_, fmt::format("no form and no sequence makes the address of a symbol in '{}'", one.name));
      }
    }
  }

  const TargetDescription& d_;
  target::Problems& problems_;
  const Location place_ = d_.place;
  std::map<Operation, bool> covered_;
  std::map<Operation, uint32_t> expansions_;
  std::map<Operation, Operation> missing_;
  std::map<Operation, std::vector<Operation>> cycles_;  // by where they begin
  std::vector<Operation> conversions_;
  std::vector<Operation> path_;
  bool has_jump_ = false, has_branch_ = false;
};

}  // namespace

void judge_coverage(const TargetDescription& description, target::Problems& problems) {
  CoverageJudge(description, problems).run();
}

}  // namespace psi::judge
