// The reference of a machine as text: headings, tables, and for each instruction what it takes and means.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "psi/target/description.h"
#include "psi/text/text.h"

namespace psi {
namespace {

class ReferencePrinter {
 public:
  explicit ReferencePrinter(const TargetDescription& description) : d_(description) {}

  std::string run() {
    line("{}: {}", d_.name, d_.summary);
    line("{} bits of an address, little-endian{}", d_.pointer_bits,
         d_.clang_triple.empty() ? "" : fmt::format("; C as clang compiles it for {}", d_.clang_triple));
    print_registers();
    print_slots();
    print_packets();
    print_guards();
    print_operands();
    print_instructions();
    print_sequences();
    print_convention();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    std::string text = fmt::format(format, std::forward<Args>(args)...);
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += text;
    out_ += '\n';
  }

  void heading(std::string_view name) { line("\n{}", name); }

  static std::string types_text(std::span<const Type> types) {
    std::string text;
    for (Type type : types) text += fmt::format("{}{}", text.empty() ? "" : " ", type_name(type));
    return text;
  }

  // `r4..r7 r12`: runs of registers of one file.
  std::string registers_text(std::span<const uint32_t> registers) const {
    std::string text;
    for (size_t i = 0; i < registers.size();) {
      size_t end = i + 1;
      while (end < registers.size() && registers[end] == registers[end - 1] + 1 &&
             d_.registers[registers[end]].types == d_.registers[registers[i]].types) {
        ++end;
      }
      text += text.empty() ? "" : " ";
      text += d_.registers[registers[i]].name;
      if (end - i > 1)
        text += fmt::format("{}{}", end - i > 2 ? ".." : " ", d_.registers[registers[end - 1]].name);
      i = end;
    }
    return text;
  }

  std::string classes_text(const ClassSet& classes) const {
    std::string text;
    for (uint32_t index : classes)
      text += fmt::format("{}{}", text.empty() ? "" : " ", d_.scheduling_classes[index].name);
    return text;
  }

  void print_registers() {
    heading("Registers");
    for (const MachineRegisterClass& one : d_.classes) {
      if (one.kind == MachineRegisterClass::Kind::Single) continue;
      std::string_view kind = one.kind == MachineRegisterClass::Kind::Pairs ? " pairs"
                              : one.kind == MachineRegisterClass::Kind::Set ? " set"
                                                                            : "";
      line("  {:<8} {:>3}{}  {:<14} {}", one.name, one.registers.size(), kind, types_text(one.types),
           registers_text(one.registers));
    }
    for (const auto& [name, index] : d_.register_names) line("  {:<8} {}", name, d_.registers[index].name);
    std::vector<uint32_t> reserved, rotating;
    for (uint32_t i = 0; i < d_.registers.size(); ++i) {
      if (d_.registers[i].reserved) reserved.push_back(i);
      if (d_.registers[i].rotating) rotating.push_back(i);
      if (d_.registers[i].wired) {
        line("  {:<8} always reads as {}", d_.registers[i].name,
             print_literal(d_.registers[i].types.front(), *d_.registers[i].wired));
      }
    }
    if (!reserved.empty()) line("  {:<8} {}", "reserved", registers_text(reserved));
    if (!rotating.empty()) line("  {:<8} {}", "rotating", registers_text(rotating));
  }

  std::string slots_text(const SchedulingClass& of) const {
    if (of.alternatives.empty()) return "none";
    std::string text;
    for (uint64_t mask : of.alternatives) {
      std::string one;
      for (size_t slot = 0; slot < d_.slots.size(); ++slot) {
        if (mask >> slot & 1) one += fmt::format("{}{}", one.empty() ? "" : "+", d_.slots[slot]);
      }
      text += fmt::format("{}{}", text.empty() ? "" : " ", one);
    }
    return text;
  }

  void print_slots() {
    heading("Slots and timing");
    line("  {} a cycle; slots {}", d_.width == 1 ? "1 instruction" : fmt::format("{} instructions", d_.width),
         fmt::join(d_.slots, " "));
    line("  a reader that comes too early {}", d_.interlocked ? "waits" : "gets the old value");
    if (d_.out_of_order) line("  later instructions overtake those that wait");
    if (d_.branch_delay > 0) line("  branches take effect {} packets later", d_.branch_delay);
    line("  a taken branch costs {} more, a misprediction {}", d_.taken_cost, d_.misprediction);
    for (const Resource& one : d_.resources) line("  resource {} {}", one.name, one.count);
    line("  {:<10} {:>7} {:>5} {:>5}  {}", "class", "latency", "busy", "words", "slots");
    for (const SchedulingClass& one : d_.scheduling_classes) {
      std::string also;
      for (uint32_t resource : one.also) also += fmt::format(", also {}", d_.resources[resource].name);
      line("  {:<10} {:>7} {:>5} {:>5}  {}{}", one.name, one.latency, one.busy, one.words, slots_text(one),
           also);
    }
    for (const LatencyRule& rule : d_.latencies) {
      constexpr std::array<std::string_view, 4> kRoles = {"", "address", "value", "guard"};
      std::string to = rule.to == kNone ? std::string(kRoles[static_cast<size_t>(rule.role)])
                                        : d_.scheduling_classes[rule.to].name;
      if (!rule.operand.empty()) to += fmt::format(".%{}", rule.operand);
      line("  {} -> {} {}", d_.scheduling_classes[rule.from].name, to, rule.cycles);
    }
  }

  void print_packets() {
    heading("Packets");
    if (d_.packet.words > 0) line("  {} words", d_.packet.words);
    for (const PacketRule& rule : d_.packet.rules) {
      switch (rule.kind) {
        case PacketRule::Kind::Limit:
          line("  at most {} of {}", rule.limit, classes_text(rule.classes));
          break;
        case PacketRule::Kind::Exclude:
          line("  none of {} with {}", classes_text(rule.classes), classes_text(rule.others));
          break;
        case PacketRule::Kind::Alone:
          line("  alone: {}", classes_text(rule.classes));
          break;
      }
    }
    for (const ForwardRule& rule : d_.packet.forwards) {
      line("  {} may come from {} of the same packet{}{}", rule.guard ? "a guard" : "%" + rule.operand,
           classes_text(rule.from), rule.to.empty() ? "" : ", to " + classes_text(rule.to),
           rule.same_guard ? ", under one guard" : "");
    }
    for (const WritersRule& rule : d_.packet.writers) {
      line("  several of {} may write one register: their {}", classes_text(rule.classes),
           rule.conjunction ? "conjunction" : "disjunction");
    }
    line("  accesses that may overlap {}", d_.packet.memory_ordered ? "execute in order" : "stand apart");
    for (const Hook& hook : d_.packet.hooks) line("  {}: {}", hook.name, hook.reason);
    if (d_.bundles.size == 0) return;
    line("  bundles of {}, {} a cycle", d_.bundles.size, d_.bundles.per_cycle);
    for (const BundleTemplate& one : d_.bundles.templates) {
      std::string places;
      for (const BundleTemplate::Place& place : one.places) {
        places += fmt::format(" {}{}", place.letters, place.stop_after ? " ;" : "");
      }
      line("  {:<6}{}", one.name, places);
    }
  }

  void print_guards() {
    if (d_.guards.register_class == kNone) return;
    heading("Guards");
    line("  in {}{}; {}", d_.classes[d_.guards.register_class].name,
         d_.guards.has_false ? ", or their complement" : "",
         d_.guards.all ? "on every instruction" : "on those with '?'");
    if (!d_.guards.true_text.empty())
      line("  \"{}\"{}", d_.guards.true_text,
           d_.guards.has_false ? fmt::format(" \"{}\"", d_.guards.false_text) : "");
  }

  std::string piece_text(const ImmediatePiece& piece) const {
    std::string text;
    switch (piece.kind) {
      case ImmediatePiece::Kind::Symbol:
        text = "a symbol";
        break;
      case ImmediatePiece::Kind::Used:
        text = fmt::format("how many of {} are used", d_.classes[piece.used].name);
        break;
      case ImmediatePiece::Kind::Block:
      case ImmediatePiece::Kind::Literal:
        text = piece.kind == ImmediatePiece::Kind::Block ? "a block" : "";
        if (piece.is_bounded) text += fmt::format("{}{}..{}", text.empty() ? "" : " ", piece.min, piece.max);
        if (piece.by_size) text += " times the access size";
        if (piece.multiple > 1) text += fmt::format(", multiples of {}", piece.multiple);
        break;
    }
    if (piece.words > 0)
      text += fmt::format(" with {} more word{}", piece.words, piece.words == 1 ? "" : "s");
    return text;
  }

  std::string kind_name(const OperandKind& kind) const {
    switch (kind.kind) {
      case OperandKind::Kind::Class:
        return d_.classes[kind.index].name;
      case OperandKind::Kind::Immediate:
        return d_.immediates[kind.index].name;
      case OperandKind::Kind::Mode:
        return d_.modes[kind.index].name;
      case OperandKind::Kind::None:
        break;
    }
    return "-";
  }

  void print_operands() {
    heading("Operands");
    for (const Immediate& one : d_.immediates) {
      std::string text;
      for (const ImmediatePiece& piece : one.pieces)
        text += fmt::format("{}{}", text.empty() ? "" : ", or ", piece_text(piece));
      line("  {:<8} {}", one.name, text);
    }
    for (const AddressingMode& mode : d_.modes) {
      std::string parts;
      for (const AddressingMode::Part& part : mode.parts) {
        parts += fmt::format("{}%{}:{}", parts.empty() ? "" : ", ", part.name, kind_name(part.kind));
      }
      std::string result =
          mode.result.empty() ? "" : fmt::format("%{}:%{} = ", mode.result, mode.parts[mode.tied].name);
      line("  {}{} {}  \"{}{}\"", result, mode.name, parts, mode.text, mode.tail);
      const Function& body = mode.meaning.body;
      Module module;
      for (InstId id : body.insts(body.entry())) line("      {}", psi::print(module, body, id));
    }
    for (const ModeList& list : d_.mode_lists) {
      std::string names;
      for (uint32_t mode : list.modes) names += fmt::format(" {}", d_.modes[mode].name);
      line("  {:<8}{}", list.name, names);
    }
  }

  void print_instructions() {
    heading("Instructions");
    for (const InstructionEntry& entry : d_.entries) {
      const SchedulingClass& of = d_.scheduling_classes[entry.scheduling_class];
      line("  {}", entry.header);
      if (!entry.text.empty()) {
        line("      \"{}\"{}", entry.text,
             entry.guarded_text == entry.text ? "" : fmt::format(" / \"{}\"", entry.guarded_text));
      }
      std::string more;
      if (entry.words != 1) more += fmt::format(", {} words", entry.words);
      more += entry.takes_guard ? ", guarded" : "";
      for (const auto& [is_set, name] :
           {std::pair(entry.by_name, "by name"), std::pair(entry.dismissible, "dismissible"),
            std::pair(entry.suffix, "behind its packet"), std::pair(entry.opaque, "opaque")}) {
        if (is_set) more += fmt::format(", {}", name);
      }
      if (!entry.rotates.empty()) more += fmt::format(", rotates %{}", entry.rotates);
      line("      {}: latency {}, slots {}{}", of.name, of.latency, slots_text(of), more);
      for (const std::string& meaning : entry.body) line("      {}", meaning);
    }
  }

  void print_sequences() {
    heading("Sequences");
    for (const Sequence& one : d_.sequences) {
      if (one.header.empty()) {
        line("  {} of {}: {}", sequence_name(one.kind), d_.classes[one.register_class].name,
             d_.instructions->form(one.form).name);
        continue;
      }
      line("  {}", one.header);
      for (const std::string& body : one.body) line("      {}", body);
    }
    size_t own = static_cast<size_t>(
        std::ranges::count_if(d_.expansions, [](const Expansion& one) { return one.where.line != 0; }));
    heading("Expansions");
    for (const Expansion& one : d_.expansions) {
      if (one.where.line != 0) line("  {}", one.header);
    }
    line("  {}{} in descriptions that this one uses", own == 0 ? "" : "and ", d_.expansions.size() - own);
  }

  void print_convention() {
    const Convention& convention = d_.convention;
    heading("Convention");
    auto rules = [&](std::string_view name, const std::vector<ArgumentRule>& all) {
      for (const ArgumentRule& rule : all) {
        line("  {:<10} {:<14} {}", name, types_text(rule.types), registers_text(rule.registers));
      }
    };
    auto registers = [&](std::string_view name, std::span<const uint32_t> all) {
      if (!all.empty()) line("  {:<10} {}", name, registers_text(all));
    };
    auto reg = [&](std::string_view name, uint32_t index) {
      if (index != kNone) line("  {:<10} {}", name, d_.registers[index].name);
    };
    rules("arguments", convention.arguments);
    if (!convention.in_order) line("  registers that were passed over are used later");
    registers("callee", convention.callee);
    rules("result", convention.results);
    reg("structure", convention.structure);
    if (convention.stack_bytes > 0) {
      line("  {:<10} {} bytes an argument{}", "stack", convention.stack_bytes,
           convention.stack_offset == 0 ? "" : fmt::format(", the first at {}", convention.stack_offset));
    }
    if (convention.variadic_on_stack) {
      line("  {:<10} on the stack", "variadic");
    } else {
      registers("variadic", convention.variadic_registers);
    }
    line("  {:<10} {}", "by value",
         convention.by_value == Convention::ByValue::Stack ? "on the stack" : "a pointer to a copy");
    registers("preserved", convention.preserved);
    for (const Routine& one : convention.routines) {
      if (one.has_clobbers)
        line("  {:<10} ${} clobbers {}", "routine", one.name, registers_text(one.clobbers));
    }
    reg("stack at", d_.frame.stack);
    if (d_.frame.stack != kNone) {
      line("  {:<10} {}, aligned to {}", "", d_.frame.down ? "grows down" : "grows up", d_.frame.align);
    }
    reg("frame at", d_.frame.frame);
    reg("link", d_.frame.link);
    for (const HardwareLoop& loop : d_.loops) {
      std::string setup;
      for (uint32_t entry : loop.setup) setup += fmt::format(" {}", d_.entries[entry].name);
      line("  {} loop:{} to {}", loop.stages ? "staged" : "hardware", setup, d_.entries[loop.end].name);
    }
  }

  const TargetDescription& d_;
  std::string out_;
};

}  // namespace

std::string print_reference(const TargetDescription& description) {
  return ReferencePrinter(description).run();
}

}  // namespace psi
