#include "simulate/program.h"

namespace psi::simulator {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

std::optional<interp::MonitoredCode> Program::add(const Function& function, interp::MonitorRefusal& refusal) {
  ProgramFunction made;
  made.symbol = function.symbol;
  made.function = &function;
  std::optional<PacketList> packets = read_packets(function, timing_, module_.name(function.symbol), refusal);
  if (!packets) return std::nullopt;
  made.packets = std::move(*packets);
  Sequence sequence = sequence_packets(function, made.packets, timing_, kinds);
  made.is_exposed = sequence.is_exposed;

  // By packet: its segment, or none where it is in that of another.
  Hazards hazards(function, made.packets, kinds, merge_ && !made.is_exposed);
  auto this_function = static_cast<uint32_t>(functions.size());
  std::vector<uint32_t> segment_of(made.packets.packets.size(), kNone);
  BlockId block;
  for (uint32_t i = 0; i < segment_of.size(); ++i) {
    if (made.packets.packets[i].block != block) hazards.begin_block();
    block = made.packets.packets[i].block;
    if (!hazards.add(i, sequence.flow[i], segments, checks, writes)) continue;
    segment_of[i] = static_cast<uint32_t>(segments.size() - 1);
    segments.back().function = this_function;
  }
  made.board_size = made.is_exposed ? sequence.board_size : hazards.board_size();

  interp::MonitoredCode code;
  code.expanded = expand_meanings(sequence.function);
  code.marks.resize(code.expanded.function.num_insts());
  place_marks(sequence, segment_of, code);
  count_false_guards(made, sequence, code);
  for (InstId& origin : code.expanded.origins) {
    uint32_t known = function.num_insts();
    if (origin.index() >= known) origin = sequence.origins[origin.index() - known];
  }
  made.sequenced = std::make_unique<const Function>(std::move(sequence.function));
  late_writes.insert(late_writes.end(), sequence.late_writes.begin(), sequence.late_writes.end());
  messages.insert(messages.end(), sequence.messages.begin(), sequence.messages.end());
  functions.push_back(std::move(made));
  return code;
}

void Program::place_marks(const Sequence& sequence, const std::vector<uint32_t>& segment_of,
                          interp::MonitoredCode& code) {
  const Function& from = sequence.function;
  const Function& to = code.expanded.function;
  std::vector<uint32_t> place(from.num_insts());
  for (BlockId block : from.layout()) {
    std::span<const Item> items =
        std::span(sequence.items)
            .subspan(sequence.first_item[block.index()], sequence.num_items[block.index()]);
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (items[i].inst) place[items[i].inst.index()] = i;
    }
    std::span<const InstId> insts = to.insts(block);
    size_t at = 0;
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (items[i].inst) continue;
      const Event& event = items[i].event;
      Action action;
      switch (event.kind) {
        case Event::Kind::Packet:
          if (segment_of[event.index] == kNone) continue;
          action = {Action::Kind::Segment, segment_of[event.index]};
          break;
        case Event::Kind::Late:
          action = {Action::Kind::Late, static_cast<uint32_t>(late_writes.size()) + event.index};
          break;
        case Event::Kind::Opaque:
          action = {Action::Kind::Opaque, static_cast<uint32_t>(messages.size()) + event.index};
          break;
      }
      // A block ends in a terminator without a guard, so there is an instruction behind every event.
      while (at + 1 < insts.size() && (place[code.expanded.origins[insts[at].index()].index()] < i ||
                                       (event.at_branch && !to.inst(insts[at]).is_terminator()))) {
        ++at;
      }
      uint32_t& mark = code.marks[insts[at].index()];
      if (mark == 0) {
        marks.push_back({static_cast<uint32_t>(actions.size()), 0});
        mark = static_cast<uint32_t>(marks.size());
      }
      actions.push_back(action);
      ++marks[mark - 1].count;
    }
  }
}

void Program::count_false_guards(ProgramFunction& function, const Sequence& sequence,
                                 interp::MonitoredCode& code) {
  const Function& from = sequence.function;
  const Function& to = code.expanded.function;
  function.counters.resize(function.function->num_insts());
  std::vector<bool> is_operation(function.function->num_insts());
  for (const Operation& operation : function.packets.operations) is_operation[operation.inst.index()] = true;
  code.counters.resize(to.num_insts());
  for (BlockId block : to.layout()) {
    for (InstId id : to.insts(block)) {
      const Inst& inst = to.inst(id);
      InstId origin = code.expanded.origins[id.index()];
      if (!inst.guard || origin.index() >= function.counters.size() || !is_operation[origin.index()])
        continue;
      uint32_t& counter = function.counters[origin.index()];
      if (counter != 0 || inst.guard != from.inst(origin).guard) continue;
      counter = code.counters[id.index()] = code.num_counters++;
    }
  }
}

}  // namespace psi::simulator
