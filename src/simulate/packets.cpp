#include "simulate/packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace psi::simulator {
namespace {

class Reader {
 public:
  Reader(const Function& function, const MachineTiming& timing, std::string_view name,
         interp::MonitorRefusal& refusal)
      : function_(function), timing_(timing), name_(name), refusal_(refusal) {}

  std::optional<PacketList> run() {
    const InstructionSet* set = function_.instruction_set.get();
    if (!set) {
      return refuse({},
                    fmt::format("${} has no instructions of {}: it is not selected", name_, timing_.name));
    }
    if (set->name() != timing_.name) {
      return refuse(
          {}, fmt::format("${} has the instructions of {}, not of {}", name_, set->name(), timing_.name));
    }
    find_copy_classes();
    list_.first_packet.resize(function_.num_blocks());
    list_.num_packets.resize(function_.num_blocks());
    list_.is_packed.resize(function_.num_blocks());
    std::span<const BlockId> layout = function_.layout();
    for (size_t i = 0; i < layout.size(); ++i) {
      if (!read_block(layout[i], i + 1 < layout.size() ? layout[i + 1] : BlockId())) return std::nullopt;
    }
    return std::move(list_);
  }

 private:
  std::nullopt_t refuse(InstId inst, std::string message) {
    refusal_ = {std::move(message), inst};
    return std::nullopt;
  }

  // A generic mov is the copy that an allocator makes of it.
  void find_copy_classes() {
    copy_classes_.fill(kNoClass);
    for (const MachineForm& form : function_.instruction_set->forms()) {
      if (!form.is_copy || form.is_boundary || form.by_name) continue;
      uint32_t& known = copy_classes_[static_cast<size_t>(form.results[0].type)];
      if (known == kNoClass) known = form.scheduling_class;
    }
    any_copy_ = kNoClass;
    for (uint32_t each : copy_classes_) any_copy_ = std::min(any_copy_, each);
  }

  bool read_block(BlockId block, BlockId next) {
    std::span<const InstId> insts = function_.insts(block);
    bool is_packed = std::any_of(insts.begin(), insts.end(),
                                 [&](InstId id) { return function_.inst(id).has_flag(Inst::kStop); });
    list_.is_packed[block.index()] = is_packed;
    list_.has_stops |= is_packed;
    list_.first_packet[block.index()] = static_cast<uint32_t>(list_.packets.size());
    first_ = static_cast<uint32_t>(list_.operations.size());
    for (InstId id : insts) {
      const Inst& inst = function_.inst(id);
      std::optional<Work> work = work_of(inst, next);
      if (!work) {
        refuse(id, fmt::format("{} is no instruction of {}: ${} is not selected completely",
                               info(inst.op).name, timing_.name, name_));
        return false;
      }
      if (*work == Work::Operation) list_.operations.push_back(operation(id));
      if ((!is_packed || inst.has_flag(Inst::kStop)) && !end_packet(block)) return false;
    }
    if (!end_packet(block)) return false;
    list_.num_packets[block.index()] =
        static_cast<uint32_t>(list_.packets.size()) - list_.first_packet[block.index()];
    return true;
  }

  std::optional<Work> work_of(const Inst& inst, BlockId next) const {
    if (!inst.is_machine()) {
      switch (inst.format()) {
        case Format::Phi:
        case Format::Psi:
        case Format::Slot:
        case Format::VaList:
        case Format::VaArg:
        case Format::VaCopy:
        case Format::Unreachable:
          return Work::Free;
        case Format::Move:
          return Work::Operation;
        default:
          if (inst.op == Opcode::Freeze) return Work::Free;
          return std::nullopt;
      }
    }
    const MachineForm& form = function_.instruction_set->form(inst);
    if (form.is_boundary) return Work::Free;
    if (inst.is_terminator() && !inst.guard && is_plain_jump(form)) {
      BlockId target;
      function_.for_each_target(inst, [&](BlockId to) { target = to; });
      if (target == next && next) return Work::Elided;
    }
    return Work::Operation;
  }

  static bool is_plain_jump(const MachineForm& form) {
    const Function& body = form.meaning.body;
    if (form.is_opaque || body.is_declaration()) return false;
    std::span<const InstId> insts = body.insts(body.entry());
    return insts.size() == 1 && body.inst(insts[0]).is_jump() && !body.inst(insts[0]).guard;
  }

  Operation operation(InstId id) const {
    const Inst& inst = function_.inst(id);
    Operation operation;
    operation.inst = id;
    if (!inst.is_machine()) {
      uint32_t known = copy_classes_[static_cast<size_t>(inst.type)];
      operation.scheduling_class = known == kNoClass ? any_copy_ : known;
      return operation;
    }
    const MachineForm& form = function_.instruction_set->form(inst);
    operation.scheduling_class = form.scheduling_class;
    operation.is_call = form.is_call;
    operation.is_branch = inst.is_terminator() && !form.is_return;
    return operation;
  }

  bool end_packet(BlockId block) {
    auto end = static_cast<uint32_t>(list_.operations.size());
    if (end == first_) return true;
    Packet packet = {block, first_, end - first_};
    list_.packets.push_back(packet);
    first_ = end;
    std::span<Operation> operations = std::span(list_.operations).subspan(packet.first, packet.count);
    if (packet.count > std::max(timing_.width, 1u) && timing_.width != 0) {
      // Classes without slots are beside the width.
      auto issued = std::count_if(operations.begin(), operations.end(), [&](const Operation& each) {
        return each.scheduling_class < timing_.classes.size() &&
               !timing_.classes[each.scheduling_class].alternatives.empty();
      });
      if (static_cast<uint32_t>(issued) > timing_.width) {
        refuse(operations.back().inst, fmt::format("a packet of {} operations, but {} issues {} in a cycle",
                                                   issued, timing_.name, timing_.width));
        return false;
      }
    }
    if (!assign_slots(operations, timing_, UINT64_MAX, slots_)) {
      refuse(operations.back().inst,
             fmt::format("the operations of this packet do not fit the slots of {}", timing_.name));
      return false;
    }
    for (size_t i = 0; i < operations.size(); ++i) operations[i].slots = slots_[i];
    used_.assign(timing_.resources.size(), 0);
    for (const Operation& operation : operations) {
      if (operation.scheduling_class >= timing_.classes.size()) continue;
      for (uint32_t resource : timing_.classes[operation.scheduling_class].also) {
        if (resource >= used_.size() || ++used_[resource] <= timing_.resources[resource]) continue;
        refuse(operation.inst,
               fmt::format("the operations of this packet need more resources than {} has", timing_.name));
        return false;
      }
    }
    return true;
  }

  const Function& function_;
  const MachineTiming& timing_;
  std::string_view name_;
  interp::MonitorRefusal& refusal_;
  PacketList list_;
  std::array<uint32_t, kNumTypes + 1> copy_classes_{};  // by type
  uint32_t any_copy_ = kNoClass;
  uint32_t first_ = 0;  // operation of the packet that is open
  std::vector<uint64_t> slots_;
  std::vector<uint32_t> used_;  // by resource
};

}  // namespace

std::optional<PacketList> read_packets(const Function& function, const MachineTiming& timing,
                                       std::string_view name, interp::MonitorRefusal& refusal) {
  return Reader(function, timing, name, refusal).run();
}

bool assign_slots(std::span<const Operation> operations, const MachineTiming& timing, uint64_t free,
                  std::vector<uint64_t>& slots) {
  // Trying all alternatives in turn; machines have few slots, and what takes longer is given up.
  constexpr uint32_t kMostTries = 10'000;
  static const std::vector<uint64_t> kNoSlots = {0};
  auto alternatives = [&](size_t i) -> const std::vector<uint64_t>& {
    uint32_t each = operations[i].scheduling_class;
    if (each >= timing.classes.size() || timing.classes[each].alternatives.empty()) return kNoSlots;
    return timing.classes[each].alternatives;
  };
  size_t count = operations.size(), i = 0;
  slots.assign(count, 0);
  std::vector<size_t> next(count + 1);
  uint32_t tries = 0;
  while (i < count) {
    const std::vector<uint64_t>& choices = alternatives(i);
    bool found = false;
    while (next[i] < choices.size() && !found) {
      slots[i] = choices[next[i]++];
      found = (slots[i] & ~free) == 0;
      if (++tries > kMostTries) return false;
    }
    if (found) {
      free &= ~slots[i];
      next[++i] = 0;
    } else if (i == 0) {
      return false;
    } else {
      free |= slots[--i];
    }
  }
  return true;
}

}  // namespace psi::simulator
