#include "simulate/simulator.h"

#include <algorithm>
#include <bit>

namespace psi::simulator {
namespace {

bool has_busy_slots(const MachineTiming& timing) {
  return std::any_of(timing.classes.begin(), timing.classes.end(), [](const MachineTiming::Class& each) {
    return each.busy > 1 && !each.alternatives.empty();
  });
}

}  // namespace

Simulator::Simulator(const Module& module, const MachineTiming& timing, const SimulateOptions& options)
    : timing_(timing),
      program_(module, timing, options.trace == 0 && !has_busy_slots(timing)),
      trace_(module, timing, options),
      function_of_(module.num_symbols(), UINT32_MAX),
      has_busy_slots_(has_busy_slots(timing)),
      slot_free_(64) {}

std::optional<interp::MonitoredCode> Simulator::prepare(const Function& function,
                                                        interp::MonitorRefusal& refusal) {
  std::optional<interp::MonitoredCode> code = program_.add(function, refusal);
  if (!code) return code;
  function_of_[function.symbol.index()] = static_cast<uint32_t>(program_.functions.size() - 1);
  stats_.emplace_back().operand_stalls.resize(timing_.classes.size() + 1);
  return code;
}

void Simulator::decoded(const Function& function, interp::DecodedFunction& decoded) {
  program_.functions[function_of_[function.symbol.index()]].decoded = &decoded;
  const Function& code = *decoded.function;
  std::span<const BlockId> layout = code.layout();
  size_t edge = 0;
  for (size_t i = 0; i < layout.size(); ++i) {
    BlockId next = i + 1 < layout.size() ? layout[i + 1] : BlockId();
    for (InstId id : code.insts(layout[i])) {
      const Inst& inst = code.inst(id);
      if (!inst.is_terminator()) continue;
      code.for_each_target(inst, [&](BlockId to) {
        interp::Edge& each = decoded.edges[edge++];
        each.is_timed = to != next;
        each.cycles = timing_.taken_cost;
      });
    }
  }
}

void Simulator::enter(SymbolId function) {
  trace_.flush();
  if (!frames_.empty()) {
    cycle += timing_.taken_cost;
    stats_of(frames_.back().function).branch_cycles += timing_.taken_cost;
  }
  uint32_t index = function_of_[function.index()];
  ++stats_of(index).calls;
  frames_.push_back({index, board_.size(), pending_.size()});
  board_.resize(board_.size() + program_.functions[index].board_size);
}

void Simulator::leave() {
  trace_.flush();
  const Frame& frame = frames_.back();
  board_.resize(frame.board);
  pending_.resize(frame.pending);
  if (frames_.size() > 1) {
    cycle += timing_.taken_cost;
    stats_of(frame.function).branch_cycles += timing_.taken_cost;
  }
  frames_.pop_back();
}

bool Simulator::mark(uint32_t mark, uint64_t* values, uint8_t* undefs) {
  auto [first, count] = program_.marks[mark];
  for (uint32_t i = first; i < first + count; ++i) {
    auto [kind, index] = program_.actions[i];
    switch (kind) {
      case Action::Kind::Segment:
        issue(program_.segments[index], values, undefs);
        break;
      case Action::Kind::Late:
        send(program_.late_writes[index], values, undefs);
        break;
      case Action::Kind::Opaque:
        message = program_.messages[index];
        return false;
    }
  }
  return true;
}

void Simulator::issue(Segment& segment, uint64_t* values, uint8_t* undefs) {
  if (trace_.is_on()) trace_.flush();
  if (segment.num_checks != 0) wait_for_operands(segment);
  bool has_pending = pending_.size() > frames_.back().pending;
  if (has_pending) wait_for_results(segment);
  if (has_busy_slots_) wait_for_slots(segment);
  if (has_pending) land(values, undefs);
  if (trace_.is_on()) {
    const ProgramFunction& function = program_.functions[segment.function];
    trace_.issue(function, function.packets.packets[segment.first_packet], cycle, values, undefs);
  }
  ++segment.count;
  cycle += segment.num_packets;
  if (segment.num_writes == 0 || program_.functions[segment.function].is_exposed) return;
  uint64_t* board = board_.data() + frames_.back().board;
  uint64_t start = cycle - segment.num_packets;
  for (uint32_t i = segment.first_write; i < segment.first_write + segment.num_writes; ++i) {
    const Write& write = program_.writes[i];
    board[write.entry] = (start + write.offset + 1) << 16 | (write.writer_class & 0xffff);
  }
}

void Simulator::stall(const Segment& segment, uint64_t cycles, uint32_t writer_class) {
  size_t place = std::min<size_t>(writer_class, timing_.classes.size());
  stats_of(segment.function).operand_stalls[place] += cycles;
  cycle += cycles;
}

void Simulator::wait_for_operands(const Segment& segment) {
  const ProgramFunction& function = program_.functions[segment.function];
  if (function.is_exposed) return;
  const uint64_t* board = board_.data() + frames_.back().board;
  uint64_t until = cycle;
  const Check* last = nullptr;
  for (uint32_t i = segment.first_check; i < segment.first_check + segment.num_checks; ++i) {
    const Check& check = program_.checks[i];
    uint64_t entry = board[check.entry];
    if (entry == 0) continue;
    uint64_t ready = (entry >> 16) - 1 + program_.kinds.latency(entry & 0xffff, check.kind);
    if (ready <= until) continue;
    until = ready;
    last = &check;
  }
  if (!last) return;
  auto writer_class = static_cast<uint32_t>(board[last->entry] & 0xffff);
  if (trace_.is_on()) trace_.stall(function, cycle, until - cycle, last->reg, writer_class);
  stall(segment, until - cycle, writer_class);
}

// A block that is not in packets, beside others that are, waits for all results that are on their way.
void Simulator::wait_for_results(const Segment& segment) {
  const ProgramFunction& function = program_.functions[segment.function];
  if (function.packets.is_packed[function.packets.packets[segment.first_packet].block.index()]) return;
  const Pending* last = nullptr;
  for (size_t i = frames_.back().pending; i < pending_.size(); ++i) {
    if (pending_[i].due > cycle && (!last || pending_[i].due > last->due)) last = &pending_[i];
  }
  if (!last) return;
  if (trace_.is_on()) trace_.stall(function, cycle, last->due - cycle, Reg(), last->writer_class);
  stall(segment, last->due - cycle, last->writer_class);
}

void Simulator::wait_for_slots(const Segment& segment) {
  const ProgramFunction& function = program_.functions[segment.function];
  std::span<const Operation> operations = function.packets.of(function.packets.packets[segment.first_packet]);
  uint64_t until = cycle;
  for (;;) {
    uint64_t free = 0, next = UINT64_MAX;
    for (size_t slot = 0; slot < slot_free_.size(); ++slot) {
      if (slot_free_[slot] <= until) {
        free |= uint64_t{1} << slot;
      } else {
        next = std::min(next, slot_free_[slot]);
      }
    }
    if (assign_slots(operations, timing_, free, slots_) || next == UINT64_MAX) break;
    until = next;
  }
  if (until > cycle) {
    if (trace_.is_on()) trace_.slot_stall(function, cycle, until - cycle);
    stats_of(segment.function).slot_stalls += until - cycle;
    cycle = until;
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    uint32_t each = operations[i].scheduling_class;
    if (each >= timing_.classes.size() || timing_.classes[each].busy <= 1) continue;
    for (uint64_t slots = slots_[i]; slots != 0; slots &= slots - 1) {
      slot_free_[static_cast<size_t>(std::countr_zero(slots))] = cycle + timing_.classes[each].busy;
    }
  }
}

void Simulator::send(const LateWrite& write, const uint64_t* values, const uint8_t* undefs) {
  // An undef guard has stopped the run already.
  if (write.guard && values[write.guard.reg().index()] == (write.guard.is_negated() ? 1 : 0)) return;
  uint32_t from = write.from.index();
  // Of two results that reach the register at once that of the later packet stays.
  uint64_t order = (cycle + write.latency) << 16 | (0xffff - std::min(write.latency, 0xffffu));
  pending_.push_back({cycle - 1 + write.cycles, order, write.entry, write.to.index(), write.writer_class,
                      values[from], undefs[from]});
}

void Simulator::land(uint64_t* values, uint8_t* undefs) {
  size_t first = frames_.back().pending, kept = first;
  uint64_t* board = board_.data() + frames_.back().board;
  for (size_t i = first; i < pending_.size(); ++i) {
    const Pending& each = pending_[i];
    if (each.due > cycle) {
      pending_[kept++] = each;
    } else if (each.order >= board[each.entry]) {
      board[each.entry] = each.order;
      values[each.to] = each.bits;
      undefs[each.to] = each.undef;
    }
  }
  pending_.resize(kept);
}

void Simulator::finished(SymbolId symbol, const interp::DecodedFunction& decoded) {
  trace_.flush();
  uint32_t index = function_of_[symbol.index()];
  CycleStats& stats = stats_of(index);
  for (const interp::Edge& edge : decoded.edges) {
    if (!edge.is_timed) continue;
    stats.taken += edge.count;
    stats.branch_cycles += edge.count * edge.cycles;
  }
  for (size_t i = 1; i < decoded.nullified.size(); ++i) stats.nullified += decoded.nullified[i];
}

void Simulator::report(Simulation& simulation) {
  for (const Segment& segment : program_.segments) {
    CycleStats& stats = stats_of(segment.function);
    stats.packets += segment.count * segment.num_packets;
    stats.operations += segment.count * segment.num_operations;
    stats.branches += segment.count * segment.num_branches;
  }
  simulation.total.operand_stalls.resize(timing_.classes.size() + 1);
  for (uint32_t i = 0; i < function_of_.size(); ++i) {
    if (function_of_[i] == UINT32_MAX) continue;
    const CycleStats& stats = stats_of(function_of_[i]);
    simulation.functions.push_back({SymbolId(i), stats});
    simulation.total.add(stats);
  }
}

}  // namespace psi::simulator
