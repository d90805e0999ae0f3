#include "simulate/hazards.h"

#include <algorithm>
#include <numeric>

#include "psi/ir/instruction_set.h"
#include "psi/ir/views.h"

namespace psi::simulator {

Hazards::Hazards(const Function& function, const PacketList& packets, const ReaderKinds& kinds, bool merge)
    : function_(function), packets_(packets), kinds_(kinds), merge_(merge), parent_(function.num_regs()) {
  std::iota(parent_.begin(), parent_.end(), 0);
  join_webs();
  entry_.assign(function.num_regs(), kNoEntry);
  // Only what a late instruction writes needs to be remembered.
  for (const Operation& operation : packets.operations) {
    if (kinds.most(operation.scheduling_class) <= 1) continue;
    for (Reg result : function.inst(operation.inst).results) {
      if (!result) continue;
      uint32_t& entry = entry_[find(result.index())];
      if (entry == kNoEntry) entry = board_size_++;
    }
  }
  for (uint32_t r = 0; r < function.num_regs(); ++r) entry_[r] = entry_[find(r)];
  producers_.resize(board_size_);
  known_.resize(board_size_);
  for (const Operation& operation : packets.operations) {
    for (Reg result : function.inst(operation.inst).results) {
      if (!result || entry_[result.index()] == kNoEntry) continue;
      std::vector<uint32_t>& classes = producers_[entry_[result.index()]];
      if (std::find(classes.begin(), classes.end(), operation.scheduling_class) == classes.end()) {
        classes.push_back(operation.scheduling_class);
      }
    }
  }
}

uint32_t Hazards::find(uint32_t reg) {
  while (parent_[reg] != reg) reg = parent_[reg] = parent_[parent_[reg]];
  return reg;
}

void Hazards::join(Reg a, Operand b) {
  if (a && b.is_reg()) parent_[find(a.index())] = find(b.reg().index());
}

void Hazards::join_webs() {
  for (BlockId block : function_.layout()) {
    for (InstId id : function_.insts(block)) {
      const Inst& inst = function_.inst(id);
      std::span<const Operand> operands = function_.operands(inst);
      if (inst.is_phi()) {
        for (auto [from, value] : phi_entries(function_, id)) join(inst.results[0], value);
      } else if (inst.is_psi()) {
        for (auto [guard, value] : psi_arguments(operands)) join(inst.results[0], value);
      } else if (inst.op == Opcode::Freeze) {
        join(inst.results[0], operands[0]);
      } else if (inst.is_machine() && function_.instruction_set->form(inst).is_boundary) {
        for (Operand operand : operands) join(inst.results[0], operand);
      }
    }
  }
}

void Hazards::begin_block() {
  ++block_;
  offset_ = 0;
  open_ = false;
}

bool Hazards::may_wait(uint32_t entry, uint32_t kind) const {
  const Known& known = known_[entry];
  if (known.block == block_) return kinds_.latency(known.writer_class, kind) > offset_ - known.offset;
  // The last packet of a block before may have written it.
  return std::any_of(producers_[entry].begin(), producers_[entry].end(),
                     [&](uint32_t each) { return kinds_.latency(each, kind) > offset_ + 1; });
}

bool Hazards::add(uint32_t packet, const PacketReads& flow, std::vector<Segment>& segments,
                  std::vector<Check>& checks, std::vector<Write>& writes) {
  auto first_check = static_cast<uint32_t>(checks.size());
  for (auto [reg, kind] : flow.reads) {
    uint32_t entry = entry_[reg.index()];
    if (entry != kNoEntry && may_wait(entry, kind)) checks.push_back({entry, kind, reg});
  }
  auto num_checks = static_cast<uint32_t>(checks.size()) - first_check;
  bool begins = !open_ || num_checks > 0 || !merge_;
  if (begins) {
    Segment segment;
    segment.first_check = first_check;
    segment.num_checks = num_checks;
    segment.first_write = static_cast<uint32_t>(writes.size());
    segment.first_packet = packet;
    segments.push_back(segment);
    segment_offset_ = offset_;
  }
  Segment& segment = segments.back();
  ++segment.num_packets;
  open_ = true;
  for (const Operation& operation : packets_.of(packets_.packets[packet])) {
    ++segment.num_operations;
    if (operation.is_branch) ++segment.num_branches;
    if (operation.is_call || function_.inst(operation.inst).is_terminator()) open_ = false;
  }
  for (auto [reg, writer_class] : flow.writes) {
    uint32_t entry = entry_[reg.index()];
    if (entry == kNoEntry) continue;
    known_[entry] = {block_, offset_, writer_class};
    writes.push_back({entry, writer_class, offset_ - segment_offset_});
    ++segment.num_writes;
  }
  ++offset_;
  return begins;
}

}  // namespace psi::simulator
