// Packets that hold each instruction, rules that name operands, and registers that a frame must save.
#include <fmt/format.h>

#include <algorithm>

#include "judge/judge.h"

namespace psi::judge {
namespace {

// An instruction fits a packet alone: its words, and those of its shortest literals.
void judge_entry(const TargetDescription& d, const InstructionEntry& entry, target::Problems& problems) {
  const PacketRules& packet = d.packet;
  const SchedulingClass& of = d.scheduling_classes[entry.scheduling_class];
  uint32_t least = UINT32_MAX;
  for (uint32_t i = entry.first_form; i < entry.first_form + entry.num_forms; ++i) {
    const MachineForm& form = d.instructions->form(i);
    uint32_t words = form.words;
    for (size_t k = 0; k < form.operands.size(); ++k) {
      const OperandKind& kind = d.forms[i].kinds[k];
      if (kind.kind == OperandKind::Kind::Immediate) words += d.immediates[kind.index].pieces.front().words;
    }
    least = std::min(least, words);
  }
  if (packet.words != 0 && least != UINT32_MAX && least > packet.words) {
    problems.error(entry.where, fmt::format("no packet can hold '{}': it takes {} words of {}", entry.name,
                                            least, packet.words));
  }
  for (const PacketRule& rule : packet.rules) {
    if (rule.kind != PacketRule::Kind::Limit || rule.limit > 0) continue;
    if (!std::ranges::binary_search(rule.classes, entry.scheduling_class)) continue;
    problems.error(entry.where, fmt::format("no packet can hold '{}': the limit of its class '{}' is 0",
                                            entry.name, of.name));
  }
}

bool has_operand(const TargetDescription& d, uint32_t scheduling_class, std::string_view name) {
  return std::ranges::any_of(d.entries, [&](const InstructionEntry& entry) {
    return entry.scheduling_class == scheduling_class &&
           std::ranges::find(entry.operands, name) != entry.operands.end();
  });
}

}  // namespace

void judge_packets(const TargetDescription& d, target::Problems& problems) {
  for (const InstructionEntry& entry : d.entries) judge_entry(d, entry, problems);
  for (const LatencyRule& rule : d.latencies) {
    if (rule.operand.empty() || has_operand(d, rule.to, rule.operand)) continue;
    problems.error(rule.where, fmt::format("no instruction of class '{}' has an operand %{}",
                                           d.scheduling_classes[rule.to].name, rule.operand));
  }
  for (const ForwardRule& rule : d.packet.forwards) {
    if (rule.guard) continue;
    for (uint32_t to : rule.to) {
      if (has_operand(d, to, rule.operand)) continue;
      problems.error(rule.where, fmt::format("no instruction of class '{}' has an operand %{}",
                                             d.scheduling_classes[to].name, rule.operand));
    }
  }
}

namespace {

// A value of the class can be put on the stack, perhaps through another class.
class Spillable {
 public:
  explicit Spillable(const TargetDescription& description) : d_(description) {}

  bool operator()(uint32_t of) const {
    if (has_own(of)) return true;
    for (uint32_t i = 0; i < d_.classes.size(); ++i) {
      if (has_own(i) && moves(of, i) && moves(i, of)) return true;
    }
    return false;
  }

 private:
  bool has_own(uint32_t of) const {
    return d_.sequence(Sequence::Kind::Spill, of) && d_.sequence(Sequence::Kind::Reload, of);
  }

  bool moves(uint32_t from, uint32_t to) const {
    return std::ranges::any_of(d_.instructions->forms(), [&](const MachineForm& form) {
      if (form.is_boundary || form.is_opaque || form.operands.size() != 1 || form.results.size() != 1)
        return false;
      if (form.operands[0].kind != MachineOperand::Kind::Register) return false;
      const Function& body = form.meaning.body;
      std::span<const InstId> insts = body.insts(body.entry());
      if (insts.size() != 1) return false;
      const Inst& inst = body.inst(insts[0]);
      bool keeps = inst.is_copy() || inst.format() == Format::Convert;
      return keeps && width(d_, inst.type) == width(d_, inst.is_copy() ? inst.type : inst.from()) &&
             contains(d_, form.operands[0].register_class, from) &&
             contains(d_, to, form.results[0].register_class);
    });
  }

  const TargetDescription& d_;
};

}  // namespace

void judge_frame(const TargetDescription& d, target::Problems& problems) {
  // Where values cannot be spilled at all, coverage says so.
  for (uint32_t c = 0; c < d.classes.size(); ++c) {
    if (std::ranges::none_of(d.classes[c].types, [&](Type type) { return d.class_for(type) == c; })) continue;
    if (!d.sequence(Sequence::Kind::Spill, c) || !d.sequence(Sequence::Kind::Reload, c)) return;
  }
  Spillable spillable(d);
  for (uint32_t index : d.convention.preserved) {
    if (d.registers[index].reserved || index == d.frame.stack) continue;
    bool is_of_a_file = false, is_good = false;
    for (uint32_t c = 0; c < d.classes.size(); ++c) {
      if (d.classes[c].kind == MachineRegisterClass::Kind::Single) continue;
      const std::vector<uint32_t>& members = d.classes[c].registers;
      if (std::ranges::find(members, index) == members.end()) continue;
      is_of_a_file = true;
      is_good |= spillable(c);
    }
    if (is_good || !is_of_a_file) continue;
    problems.error(d.convention.preserved_place,
                   fmt::format("'preserved' names {}, which no sequence can spill", d.registers[index].name));
  }
}

}  // namespace psi::judge
