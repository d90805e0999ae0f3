#include "simulate/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace psi::simulator {
namespace {

bool contains(const std::vector<uint32_t>& classes, uint32_t each) {
  return std::find(classes.begin(), classes.end(), each) != classes.end();
}

class Sequencer {
 public:
  Sequencer(const Function& function, const PacketList& packets, const MachineTiming& timing,
            ReaderKinds& kinds)
      : from_(function), packets_(packets), timing_(timing), kinds_(kinds) {}

  Sequence run() {
    out_.function = from_;
    out_.is_exposed = !timing_.interlocked && packets_.has_stops;
    out_.flow.resize(packets_.packets.size());
    writers_.resize(from_.num_regs());
    is_late_.resize(from_.num_regs());
    old_.resize(from_.num_regs());
    fresh_.resize(from_.num_regs());
    if (out_.is_exposed) find_late();
    std::vector<BlockId> layout;
    for (BlockId block : from_.layout()) {
      layout.push_back(block);
      open(block);
      if (block == from_.entry()) begin_views();
      sequence_block(block, layout);
      close();
    }
    out_.function.set_layout(std::move(layout));
    return std::move(out_);
  }

 private:
  // A writer in the packet that is open.
  struct Writer {
    uint32_t packet = 0;  // one more than its number; then the rest counts
    std::vector<uint32_t> places, classes;
  };
  // A register of this packet that stands for another.
  struct Stand {
    uint32_t packet = 0;
    Reg reg;
  };

  Function& to() { return out_.function; }

  // --- Blocks ---------------------------------------------------------------------------------------
  void open(BlockId block) {
    block_ = block;
    out_.first_item.resize(to().num_blocks());
    out_.num_items.resize(to().num_blocks());
    out_.first_item[block.index()] = static_cast<uint32_t>(out_.items.size());
    has_terminator_ = false;
  }

  void close() {
    uint32_t first = out_.first_item[block_.index()];
    out_.num_items[block_.index()] = static_cast<uint32_t>(out_.items.size()) - first;
    insts_.clear();
    for (size_t i = first; i < out_.items.size(); ++i) {
      if (out_.items[i].inst) insts_.push_back(out_.items[i].inst);
    }
    to().set_insts(block_, insts_);
  }

  // Where a second packet transfers control it is a block of its own, so that it reads its registers after
  // the first has issued. In SSA form reading them early makes no difference.
  void split(std::vector<BlockId>& layout) {
    BlockId next = to().add_block();
    Inst jump;
    jump.op = Opcode::Br;
    Operand target = next;
    put(add(jump, {&target, 1}, last_));
    close();
    layout.push_back(next);
    open(next);
  }

  void sequence_block(BlockId block, std::vector<BlockId>& layout) {
    std::span<const InstId> insts = from_.insts(block);
    uint32_t packet = packets_.first_packet[block.index()];
    uint32_t end = packet + packets_.num_packets[block.index()];
    bool is_packed = packets_.is_packed[block.index()];
    size_t first = 0;
    for (size_t i = 0; i < insts.size(); ++i) {
      if (is_packed && i + 1 < insts.size() && !from_.inst(insts[i]).has_flag(Inst::kStop)) continue;
      std::span<const InstId> group = insts.subspan(first, i + 1 - first);
      first = i + 1;
      bool issues = packet < end && contains_first(group, packet);
      if (issues && has_terminator_ && !is_ssa(from_.form)) split(layout);
      issues ? sequence_packet(group, packet++) : keep(group);
    }
  }

  bool contains_first(std::span<const InstId> group, uint32_t packet) const {
    InstId first = packets_.operations[packets_.packets[packet].first].inst;
    return std::find(group.begin(), group.end(), first) != group.end();
  }

  void keep(std::span<const InstId> group) {
    for (InstId id : group) put(id);
  }

  void put(InstId id) {
    out_.items.push_back({id, {}});
    last_ = id;
    has_terminator_ |= to().inst(id).is_terminator();
  }

  void put(Event event) { out_.items.push_back({InstId(), event}); }

  InstId add(const Inst& inst, std::span<const Operand> operands, InstId origin) {
    InstId id = to().add_inst(inst, operands);
    to().copy_place(origin, id);
    out_.origins.push_back(original(origin));
    return id;
  }

  InstId original(InstId id) const {
    return id.index() < from_.num_insts() ? id : out_.origins[id.index() - from_.num_insts()];
  }

  InstId add_move(Reg to_reg, Operand value, InstId origin, Guard guard = {}) {
    Inst move;
    move.op = Opcode::Mov;
    move.type = to().type(to_reg);
    move.guard = guard;
    move.results[0] = to_reg;
    return add(move, {&value, 1}, origin);
  }

  // --- Packets --------------------------------------------------------------------------------------
  void sequence_packet(std::span<const InstId> group, uint32_t packet) {
    packet_ = packet;
    std::span<const Operation> operations = packets_.of(packets_.packets[packet]);
    bool at_branch = is_ssa(from_.form) && from_.inst(operations[0].inst).is_terminator();
    put(Event{Event::Kind::Packet, packet, at_branch});
    size_t before = out_.items.size();
    moves_.clear();
    // A call is last: what issues with it happens before what the callee does.
    order_.clear();
    size_t next_operation = 0;
    for (size_t i = 0; i < group.size(); ++i) {
      const Operation* operation = nullptr;
      if (next_operation < operations.size() && operations[next_operation].inst == group[i]) {
        operation = &operations[next_operation++];
      }
      order_.push_back({group[i], operation, static_cast<uint32_t>(i)});
    }
    std::ranges::sort(order_, {}, [&](const Step& step) { return std::pair(rank(step), step.place); });
    for (const Step& step : order_) sequence_step(step);
    if (moves_.empty()) return;
    std::vector<Item> moved;
    for (InstId id : moves_) moved.push_back({id, {}});
    out_.items.insert(out_.items.begin() + static_cast<ptrdiff_t>(before), moved.begin(), moved.end());
  }

  struct Step {
    InstId inst;
    const Operation* operation;  // null: free
    uint32_t place;              // as written
  };

  int rank(const Step& step) const {
    if (from_.inst(step.inst).is_terminator()) return 2;
    return step.operation && step.operation->is_call ? 1 : 0;
  }

  void sequence_step(const Step& step) {
    InstId id = step.inst;
    rename_reads(step);
    const Inst& inst = from_.inst(id);
    const MachineForm* form = inst.is_machine() ? &from_.instruction_set->form(inst) : nullptr;
    if (form && form->is_opaque) {
      put(Event{Event::Kind::Opaque, static_cast<uint32_t>(out_.messages.size()), false});
      out_.messages.push_back(fmt::format("{}.{} has no meaning, so it cannot be executed",
                                          from_.instruction_set->name(), form->name));
      if (inst.is_terminator()) {
        Inst end;
        end.op = Opcode::Unreachable;
        put(add(end, {}, id));
      }
      return;
    }
    late_.clear();
    std::vector<InstId> after;
    for (int k = 0; k < 2; ++k) {
      if (Reg result = inst.results[static_cast<size_t>(k)]) rename_result(step, k, result, after);
    }
    bool ends = inst.is_terminator();
    if (!ends) put(id);
    for (InstId each : after) put(each);
    for (const LateWrite& write : late_) {
      put(Event{Event::Kind::Late, static_cast<uint32_t>(out_.late_writes.size()), ends});
      out_.late_writes.push_back(write);
    }
    if (ends) put(id);
  }

  void rename_reads(const Step& step) {
    PacketReads& flow = out_.flow[packet_];
    std::vector<Operand> operands(from_.operands(step.inst).begin(), from_.operands(step.inst).end());
    bool changed = false;
    Guard guard = from_.inst(step.inst).guard;
    Operation operation = step.operation ? *step.operation : Operation{step.inst};
    for_each_read(from_, operation, kinds_, [&](Reg reg, uint32_t kind, int operand) {
      Reg read = reg;
      bool is_written = writers_[reg.index()].packet == packet_ + 1;
      if (is_written && is_forwarded(step, reg, operand)) {
        if (is_late_[reg.index()]) read = fresh(reg, step.inst);
      } else {
        if (step.operation) flow.reads.push_back({reg, kind});
        if (is_late_[reg.index()]) {
          auto view = views_.find({reg.index(), kind});
          if (view != views_.end()) read = view->second;
        } else if (is_written) {
          read = old(reg, step.inst);
        }
      }
      if (read == reg) return;
      changed = true;
      if (operand < 0) {
        guard = Guard(read, guard.is_negated());
      } else {
        operands[static_cast<size_t>(operand)] = read;
      }
    });
    if (!changed) return;
    to().set_operands(step.inst, operands);
    to().inst(step.inst).guard = guard;
  }

  // Do all that write it before in this packet hand it on?
  bool is_forwarded(const Step& step, Reg reg, int operand) const {
    const Writer& writer = writers_[reg.index()];
    const Inst& inst = from_.inst(step.inst);
    for (size_t i = 0; i < writer.places.size(); ++i) {
      if (writer.places[i] > step.place) return false;
      bool found = false;
      for (const MachineTiming::Forward& rule : timing_.forwards) {
        if (rule.guard != (operand < 0) || !contains(rule.from, writer.classes[i])) continue;
        if (!rule.to.empty() && !(step.operation && contains(rule.to, step.operation->scheduling_class)))
          continue;
        if (operand >= 0 && !rule.operand.empty()) {
          const MachineForm* form = inst.is_machine() ? &from_.instruction_set->form(inst) : nullptr;
          bool is_named = form && static_cast<size_t>(operand) < form->operands.size();
          if (!is_named || form->operands[static_cast<size_t>(operand)].name != rule.operand) continue;
        }
        found = true;
      }
      if (!found) return false;
    }
    return true;
  }

  // What the register held before the packet.
  Reg old(Reg reg, InstId user) {
    Stand& stand = old_[reg.index()];
    if (stand.packet != packet_ + 1) {
      stand = {packet_ + 1, to().add_reg(from_.type(reg))};
      moves_.push_back(add_move(stand.reg, reg, user));
    }
    return stand.reg;
  }

  // Where a late result of this packet is until it lands. It begins with the old contents, which a forwarded
  // result under a false guard leaves.
  Reg fresh(Reg reg, InstId user) {
    Stand& stand = fresh_[reg.index()];
    if (stand.packet != packet_ + 1) {
      stand = {packet_ + 1, to().add_reg(from_.type(reg))};
      moves_.push_back(add_move(stand.reg, reg, user));
    }
    return stand.reg;
  }

  void rename_result(const Step& step, int k, Reg reg, std::vector<InstId>& after) {
    uint32_t writer_class = step.operation ? step.operation->scheduling_class : kNoClass;
    Writer& writer = writers_[reg.index()];
    bool again = writer.packet == packet_ + 1;
    const MachineTiming::Writers* together = again ? writers_rule(writer, writer_class) : nullptr;
    if (!again) {
      writer.packet = packet_ + 1;
      writer.places.clear();
      writer.classes.clear();
    }
    writer.places.push_back(step.place);
    writer.classes.push_back(writer_class);
    if (step.operation) out_.flow[packet_].writes.push_back({reg, writer_class});
    Guard guard = to().inst(step.inst).guard;
    Reg written = reg;
    if (is_late_[reg.index()]) {
      written = fresh(reg, step.inst);
      add_late(written, reg, guard, writer_class);
    }
    Reg result = written;
    if (together) {
      result = to().add_reg(from_.type(reg));
      Inst both;
      both.op = together->conjunction ? Opcode::And : Opcode::Or;
      both.type = from_.type(reg);
      both.guard = guard;
      both.results[0] = written;
      Operand operands[] = {written, result};
      after.push_back(add(both, operands, step.inst));
    }
    if (result != reg) to().inst(step.inst).results[static_cast<size_t>(k)] = result;
  }

  const MachineTiming::Writers* writers_rule(const Writer& writer, uint32_t writer_class) const {
    for (const MachineTiming::Writers& rule : timing_.writers) {
      bool all = contains(rule.classes, writer_class) &&
                 std::all_of(writer.classes.begin(), writer.classes.end(),
                             [&](uint32_t each) { return contains(rule.classes, each); });
      if (all) return &rule;
    }
    return nullptr;
  }

  // --- Exposed latencies ----------------------------------------------------------------------------
  void find_late() {
    std::vector<std::vector<uint32_t>> writers(from_.num_regs());  // classes
    for (const Operation& operation : packets_.operations) {
      for (Reg result : from_.inst(operation.inst).results) {
        if (!result) continue;
        if (!contains(writers[result.index()], operation.scheduling_class)) {
          writers[result.index()].push_back(operation.scheduling_class);
        }
        if (kinds_.most(operation.scheduling_class) > 1) is_late_[result.index()] = true;
      }
    }
    view_list_.resize(from_.num_regs());
    for (const Operation& operation : packets_.operations) {
      for_each_read(from_, operation, kinds_, [&](Reg reg, uint32_t kind, int) {
        if (!is_late_[reg.index()] || views_.contains({reg.index(), kind})) return;
        const std::vector<uint32_t>& classes = writers[reg.index()];
        bool same = std::all_of(classes.begin(), classes.end(), [&](uint32_t each) {
          return kinds_.latency(each, kind) == default_latency(each);
        });
        if (same) return;
        Reg view = to().add_reg(from_.type(reg));
        views_.emplace(std::pair(reg.index(), kind), view);
        view_list_[reg.index()].push_back({view, kind});
      });
    }
  }

  uint32_t default_latency(uint32_t writer_class) const {
    if (writer_class >= timing_.classes.size()) return 1;
    return std::max(timing_.classes[writer_class].latency, 1u);
  }

  void begin_views() {
    if (views_.empty()) return;
    InstId first = from_.insts(from_.entry()).front();
    for (Reg param : from_.params) {
      for (auto [view, kind] : view_list_[param.index()]) put(add_move(view, param, first));
    }
  }

  void add_late(Reg from, Reg reg, Guard guard, uint32_t writer_class) {
    uint32_t latency = default_latency(writer_class);
    late_.push_back({from, reg, guard, latency, latency, entry_of(reg), writer_class});
    for (auto [view, kind] : view_list_[reg.index()]) {
      uint32_t cycles = kinds_.latency(writer_class, kind);
      late_.push_back({from, view, guard, cycles, latency, entry_of(view), writer_class});
    }
  }

  uint32_t entry_of(Reg reg) {
    auto [it, is_new] = entries_.try_emplace(reg.index(), out_.board_size);
    if (is_new) ++out_.board_size;
    return it->second;
  }

  const Function& from_;
  const PacketList& packets_;
  const MachineTiming& timing_;
  ReaderKinds& kinds_;
  Sequence out_;
  BlockId block_;
  InstId last_;  // that was put into the block
  uint32_t packet_ = 0;
  bool has_terminator_ = false;
  std::vector<Writer> writers_;                                   // by register
  std::vector<Stand> old_, fresh_;                                // likewise
  std::vector<bool> is_late_;                                     // likewise
  std::map<std::pair<uint32_t, uint32_t>, Reg> views_;            // by register and kind of reader
  std::vector<std::vector<std::pair<Reg, uint32_t>>> view_list_;  // by register
  std::unordered_map<uint32_t, uint32_t> entries_;                // of the board
  std::vector<Step> order_;
  std::vector<InstId> moves_, insts_;
  std::vector<LateWrite> late_;
};

}  // namespace

Sequence sequence_packets(const Function& function, const PacketList& packets, const MachineTiming& timing,
                          ReaderKinds& kinds) {
  return Sequencer(function, packets, timing, kinds).run();
}

}  // namespace psi::simulator
