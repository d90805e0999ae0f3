#include "target/complete/derive_costs.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace psi::target {
namespace {

// Does the meaning do nothing but this, conversions and addresses aside?
struct SingleOp {
  std::optional<Inst> inst;
  std::vector<Operand> operands;
};

SingleOp single_op(const Function& meaning) {
  SingleOp found, conversion;
  for (InstId id : meaning.insts(meaning.entry())) {
    const Inst& inst = meaning.inst(id);
    std::span<const Operand> operands = meaning.operands(id);
    SingleOp one{inst, {operands.begin(), operands.end()}};
    if (inst.format() == Format::Convert && group_of(inst.op) == OpGroup::Integer) {
      conversion = std::move(one);
    } else if (found.inst) {
      return {};
    } else {
      found = std::move(one);
    }
  }
  return found.inst ? found : conversion;
}

uint64_t size_of(const LiteralRange& range) {
  return static_cast<uint64_t>(range.max) - static_cast<uint64_t>(range.min);
}

class CostDeriver {
 public:
  explicit CostDeriver(const TargetDescription& description)
      : d_(description), set_(*description.instructions) {}

  Target run() {
    target_.name = d_.name;
    target_.summary = d_.summary;
    target_.out_of_order = d_.out_of_order;
    target_.issue_width = d_.width;
    target_.branch_cost = d_.taken_cost;
    target_.misprediction = d_.misprediction;
    target_.free_complement = d_.guards.register_class != kNone && d_.guards.has_false;
    if (d_.guards.register_class == kNone) target_.free_complement = has_complemented_choice();
    find_cheapest();
    derive_guards();
    derive_latencies();
    derive_units();
    derive_registers();
    derive_immediates();
    derive_addressing();
    return std::move(target_);
  }

 private:
  static constexpr uint32_t kNoForm = UINT32_MAX;

  bool counts(const MachineForm& form) const {
    return !form.by_name && !form.is_opaque && !form.is_boundary && form.entry != kNone &&
           form.meaning.body.num_blocks() > 0;
  }

  const SchedulingClass& class_of(const MachineForm& form) const {
    return d_.scheduling_classes[form.scheduling_class];
  }

  bool is_cheaper(uint32_t one, uint32_t other) const {
    if (other == kNoForm) return true;
    const MachineForm& a = set_.form(one);
    const MachineForm& b = set_.form(other);
    if (a.words != b.words) return a.words < b.words;
    if (class_of(a).latency != class_of(b).latency) return class_of(a).latency < class_of(b).latency;
    return a.takes_guard && !b.takes_guard;
  }

  void find_cheapest() {
    cheapest_.fill(kNoForm);
    for (uint32_t i = 0; i < set_.num_forms(); ++i) {
      const MachineForm& form = set_.form(i);
      if (!counts(form)) continue;
      SingleOp op = single_op(without_address(form, i));
      if (!op.inst) continue;
      if (op.inst->op == Opcode::Cmpp) {
        for (int target = 0; target < 2; ++target) {
          if (op.inst->action(target) != Action::none) {
            target_.actions.set(static_cast<size_t>(op.inst->action(target)));
          }
        }
      }
      target_.has_select |= op.inst->op == Opcode::Select;
      uint32_t& best = cheapest_[static_cast<size_t>(op.inst->op)];
      if (is_cheaper(i, best)) best = i;
    }
  }

  // The meaning without the instructions of its address.
  Function without_address(const MachineForm& form, uint32_t index) const {
    Function body = form.meaning.body;
    size_t address = 0;
    for (const FormDetail::Place& place : d_.forms[index].places) {
      if (place.mode != kNone) {
        const Function& mode = d_.modes[place.mode].meaning.body;
        address += mode.insts(mode.entry()).size();
      }
    }
    std::span<const InstId> insts = body.insts(body.entry());
    std::vector<InstId> rest(insts.begin() + static_cast<ptrdiff_t>(std::min(address, insts.size())),
                             insts.end());
    body.set_insts(body.entry(), rest);
    return body;
  }

  // An opcode that no form means alone is expanded; it is guarded if everything is. Copies of memory are
  // calls.
  void derive_guards() {
    bool all = d_.guards.register_class != kNone;
    if (all && d_.guards.all) {
      for (size_t i = 0; i < kNumGenericOpcodes; ++i)
        target_.guarded[i] = group_of(static_cast<Opcode>(i)).has_value();
      return;
    }
    for (uint32_t i = 0; i < set_.num_forms(); ++i) all &= !counts(set_.form(i)) || takes_guard(set_.form(i));
    for (size_t i = 0; i < kNumGenericOpcodes; ++i) {
      std::optional<OpGroup> group = group_of(static_cast<Opcode>(i));
      if (!group) continue;
      uint32_t form = cheapest_[*group == OpGroup::Call ? static_cast<size_t>(Opcode::Call) : i];
      target_.guarded[i] = form == kNoForm ? all : takes_guard(set_.form(form));
    }
  }

  // A branch under its own predicate is a conditional branch, which every target has.
  bool takes_guard(const MachineForm& form) const {
    if (form.takes_guard || form.effect != Effect::Control) return form.takes_guard;
    const Function& body = form.meaning.body;
    std::span<const InstId> insts = body.insts(body.entry());
    return d_.guards.all && !insts.empty() && static_cast<bool>(body.inst(insts.back()).guard);
  }

  bool has_complemented_choice() const {
    return std::ranges::any_of(set_.forms(), [&](const MachineForm& form) {
      const Function& body = form.meaning.body;
      if (!counts(form) || form.effect != Effect::Control) return false;
      std::span<const InstId> insts = body.insts(body.entry());
      return !insts.empty() && body.inst(insts.back()).guard.is_negated() && body.inst(insts.back()).guard;
    });
  }

  uint32_t latency_of(Opcode op) const {
    uint32_t form = cheapest_[static_cast<size_t>(op)];
    return form == kNoForm ? 0 : class_of(set_.form(form)).latency;
  }

  uint32_t first_latency(std::initializer_list<Opcode> ops) const {
    for (Opcode op : ops) {
      if (uint32_t cycles = latency_of(op)) return cycles;
    }
    return 0;
  }

  void derive_latencies() {
    auto set = [&](OpGroup group, uint32_t cycles) {
      target_.latencies[static_cast<size_t>(group)] = cycles;
    };
    uint32_t integer =
        std::max(1u, first_latency({Opcode::Add, Opcode::Sub, Opcode::Or, Opcode::Xor, Opcode::And}));
    set(OpGroup::Integer, integer);
    uint32_t move = first_latency({Opcode::Mov});
    set(OpGroup::Move, move ? move : integer);
    set(OpGroup::Multiply, first_latency({Opcode::Mul}));
    set(OpGroup::Divide, first_latency({Opcode::Sdiv, Opcode::Udiv}));
    uint32_t compare = first_latency({Opcode::Cmp, Opcode::Cmpp});
    set(OpGroup::Compare, compare ? compare : integer);
    uint32_t select = first_latency({Opcode::Select});
    set(OpGroup::Select, select ? select : integer);
    set(OpGroup::Load, std::max(1u, first_latency({Opcode::Load})));
    set(OpGroup::Store, std::max(1u, first_latency({Opcode::Store})));
    set(OpGroup::Float, first_latency({Opcode::Fadd, Opcode::Fsub, Opcode::Fmul}));
    set(OpGroup::FloatDivide, first_latency({Opcode::Fdiv, Opcode::Sqrt}));
    uint32_t branch = std::max(1u, first_latency({Opcode::Br, Opcode::Ret}));
    set(OpGroup::Branch, branch);
    uint32_t call = first_latency({Opcode::Call});
    set(OpGroup::Call, call ? call : branch);
  }

  // Slots that the instructions of a unit's groups may take.
  void derive_units() {
    std::array<uint64_t, kNumUnits> slots{};
    for (size_t op = 0; op < kNumGenericOpcodes; ++op) {
      if (cheapest_[op] == kNoForm) continue;
      std::optional<OpGroup> group = group_of(static_cast<Opcode>(op));
      if (!group) continue;
      for (uint64_t alternative : class_of(set_.form(cheapest_[op])).alternatives) {
        slots[static_cast<size_t>(unit_of(*group))] |= alternative;
      }
    }
    for (size_t unit = 0; unit < kNumUnits; ++unit) {
      uint32_t count = static_cast<uint32_t>(std::popcount(slots[unit]));
      if (static_cast<Unit>(unit) == Unit::Memory) count = limited(count, {Opcode::Load, Opcode::Store});
      target_.units[unit] = count;
    }
    for (Unit unit : {Unit::Integer, Unit::Memory, Unit::Branch}) {
      uint32_t& count = target_.units[static_cast<size_t>(unit)];
      count = std::max(count, 1u);
    }
  }

  // Limits of a packet bound a unit, too.
  uint32_t limited(uint32_t count, std::initializer_list<Opcode> ops) const {
    for (const PacketRule& rule : d_.packet.rules) {
      if (rule.kind != PacketRule::Kind::Limit) continue;
      bool all = true;
      for (Opcode op : ops) {
        uint32_t form = cheapest_[static_cast<size_t>(op)];
        all &= form != kNoForm && std::ranges::binary_search(rule.classes, set_.form(form).scheduling_class);
      }
      if (all) count = std::min(count, rule.limit);
    }
    return count;
  }

  void derive_registers() {
    auto set = [&](RegisterKind kind, auto&& fits) {
      for (const MachineRegisterClass& one : d_.classes) {
        if (one.kind != MachineRegisterClass::Kind::File || !fits(one)) continue;
        RegisterClass& made = target_.registers[static_cast<size_t>(kind)];
        made.count = static_cast<uint32_t>(one.registers.size());
        made.prefix = one.name;
        return;
      }
    };
    auto is_general = [](const MachineRegisterClass& c) { return c.holds(Type::i32) || c.holds(Type::i64); };
    set(RegisterKind::General, is_general);
    set(RegisterKind::Predicate, [&](const auto& c) { return c.holds(Type::i1) && !is_general(c); });
    set(RegisterKind::Float,
        [&](const auto& c) { return (c.holds(Type::f32) || c.holds(Type::f64)) && !is_general(c); });
  }

  // By group, the literals that all its instructions take as their last operand, without more words.
  void derive_immediates() {
    std::array<bool, kNumOpGroups> is_known{};
    for (size_t i = 0; i < kNumGenericOpcodes; ++i) {
      Opcode op = static_cast<Opcode>(i);
      std::optional<OpGroup> group = group_of(op);
      // Subtraction of a literal is an addition; shifts have amounts alone.
      bool differs = op == Opcode::Sub || op == Opcode::Shl || op == Opcode::Lshr || op == Opcode::Ashr ||
                     info(op).format == Format::Convert || info(op).format == Format::Unary ||
                     op == Opcode::Cmpp;
      if (!group || differs || cheapest_[i] == kNoForm) continue;
      size_t g = static_cast<size_t>(*group);
      bool takes = *group == OpGroup::Integer || *group == OpGroup::Move || *group == OpGroup::Multiply ||
                   *group == OpGroup::Compare || *group == OpGroup::Select || *group == OpGroup::Store;
      if (!takes) continue;
      std::optional<LiteralRange> range = literals_of(op);
      std::optional<LiteralRange>& all = target_.immediates[g];
      if (!is_known[g]) {
        all = range;
      } else if (all && range) {
        all->min = std::max(all->min, range->min);
        all->max = std::min(all->max, range->max);
      } else {
        all = std::nullopt;
      }
      is_known[g] = true;
    }
  }

  // The widest range of the last operand of forms that mean the opcode. Of a store it is the value.
  std::optional<LiteralRange> literals_of(Opcode op) const {
    std::optional<LiteralRange> widest;
    for (uint32_t i = 0; i < set_.num_forms(); ++i) {
      const MachineForm& form = set_.form(i);
      if (!counts(form)) continue;
      Function body = without_address(form, i);
      SingleOp found = single_op(body);
      if (!found.inst || found.inst->op != op || found.operands.empty() || found.inst->type == Type::i1)
        continue;
      Operand last = op == Opcode::Store ? found.operands[0] : found.operands.back();
      for (size_t k = 0; k < form.operands.size(); ++k) {
        const MachineOperand& operand = form.operands[k];
        if (!last.is_reg() || form.meaning.operands[k] != last.reg()) continue;
        if (operand.kind != MachineOperand::Kind::Literal || operand.literals.empty()) continue;
        LiteralRange range{operand.literals[0].min, operand.literals[0].max};
        if (operand.type == Type::i64 && range.min == std::numeric_limits<int64_t>::min()) {
          range.max = std::numeric_limits<int64_t>::max();
        }
        if (!widest || size_of(range) > size_of(*widest)) widest = range;
      }
    }
    return widest;
  }

  // A mode is base + offset, base + index * scale, or both.
  void derive_addressing() {
    for (const MachineForm& form : set_.forms()) {
      if (!counts(form) || (form.effect != Effect::Read && form.effect != Effect::Write) || form.is_call)
        continue;
      uint32_t index = static_cast<uint32_t>(&form - set_.forms().data());
      for (const FormDetail::Place& place : d_.forms[index].places) {
        if (place.mode != kNone && d_.modes[place.mode].result.empty())
          add_mode(d_.modes[place.mode], place, index);
      }
    }
  }

  void add_mode(const AddressingMode& mode, const FormDetail::Place&, uint32_t) {
    const Function& body = mode.meaning.body;
    std::vector<const Immediate*> offsets;
    uint32_t registers = 0;
    bool shifts = false;
    for (const AddressingMode::Part& part : mode.parts) {
      registers += part.kind.kind == OperandKind::Kind::Class;
      if (part.kind.kind == OperandKind::Kind::Immediate) offsets.push_back(&d_.immediates[part.kind.index]);
    }
    std::optional<LiteralRange> scales;
    for (InstId id : body.insts(body.entry())) {
      if (body.inst(id).op != Opcode::Shl) continue;
      shifts = true;
      Operand amount = body.operands(id)[1];
      for (size_t i = 0; i < mode.parts.size(); ++i) {
        if (!amount.is_reg() || mode.meaning.operands[i] != amount.reg()) continue;
        const ImmediatePiece& piece = d_.immediates[mode.parts[i].kind.index].pieces[0];
        scales = {piece.min, piece.max};
        std::erase(offsets, &d_.immediates[mode.parts[i].kind.index]);
      }
      if (amount.is_literal()) {
        int64_t by = body.literal_signed(amount);
        scales = {by, by};
      }
    }
    AddressingModes& addressing = target_.addressing;
    if (registers == 2) {
      addressing.index = true;
      addressing.index_with_offset |= !offsets.empty();
      if (!shifts) addressing.scales |= 1;
      for (int64_t by = scales ? scales->min : 1; scales && by <= std::min<int64_t>(scales->max, 16); ++by) {
        addressing.scales |= uint64_t{1} << by;
      }
    }
    if (registers != 1) return;
    for (const Immediate* immediate : offsets) {
      for (const ImmediatePiece& piece : immediate->pieces) {
        if (piece.kind != ImmediatePiece::Kind::Literal) continue;
        OffsetRange offset;
        offset.range = {piece.min, piece.max};
        if (piece.max == int64_t{UINT32_MAX} && piece.min == std::numeric_limits<int32_t>::min()) {
          offset.range.max = std::numeric_limits<int32_t>::max();
        }
        offset.scaled = piece.by_size;
        offset.extended = piece.words > 0;
        auto same = [&](const OffsetRange& other) {
          return other.range.min == offset.range.min && other.range.max == offset.range.max &&
                 other.scaled == offset.scaled && other.extended == offset.extended;
        };
        if (std::ranges::none_of(addressing.offsets, same)) addressing.offsets.push_back(offset);
      }
    }
  }

  const TargetDescription& d_;
  const InstructionSet& set_;
  Target target_;
  std::array<uint32_t, kNumGenericOpcodes> cheapest_{};
};

}  // namespace

Target derive_costs(const TargetDescription& description) { return CostDeriver(description).run(); }

}  // namespace psi::target
