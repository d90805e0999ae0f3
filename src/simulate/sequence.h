// Packets as code that executes in sequence. All instructions of a packet read registers before any writes:
//
//     %r1 = m.add %r2, 1                  %old = mov.i32 %r1
//     %r2 = m.add %r1, 1 ;;        =>     %r1 = m.add %r2, 1
//                                         %r2 = m.add %old, 1
//
// On a machine that exposes its latencies a result goes to a register of its own, from which it is written
// where it lands (LateWrite). A reader that sees results later than others, as an address may, has a view of
// the register for itself; which of two results stays is the same for all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulate/hazards.h"
#include "simulate/packets.h"
#include "simulate/reads.h"

namespace psi::simulator {

struct LateWrite {
  Reg from;
  Reg to;
  Guard guard;
  uint32_t cycles = 1;   // from the issue of the packet until it is there
  uint32_t latency = 1;  // of the register itself: it decides which of two results stays
  uint32_t entry = 0;    // of the board, by `to`
  uint32_t writer_class = 0;
};

// What happens between instructions.
struct Event {
  enum class Kind : uint8_t {
    Packet,  // one issues
    Late,    // a result is on its way
    Opaque,  // an instruction without a meaning stops the run
  };
  Kind kind = Kind::Packet;
  uint32_t index = 0;      // of the packet, the late write, the message
  bool at_branch = false;  // right before the next terminator takes effect, not before what it computes
};

struct Item {
  InstId inst;  // none: an event
  Event event;
};

struct Sequence {
  Function function;
  std::vector<InstId> origins;       // of the instructions that were added, behind the original's
  std::vector<Item> items;           // of all blocks, one behind the other
  std::vector<uint32_t> first_item;  // by BlockId of `function`
  std::vector<uint32_t> num_items;   // likewise
  std::vector<PacketReads> flow;     // by packet; what is forwarded is not read
  std::vector<LateWrite> late_writes;
  std::vector<std::string> messages;
  bool is_exposed = false;
  uint32_t board_size = 0;  // if it is: registers that late writes go to
};

Sequence sequence_packets(const Function& function, const PacketList& packets, const MachineTiming& timing,
                          ReaderKinds& kinds);

// Calls visit(register, kind of reader, operand) for what an operation reads; the operand is -1 for its
// guard.
template <class Visit>
void for_each_read(const Function& function, const Operation& operation, ReaderKinds& kinds, Visit visit) {
  const Inst& inst = function.inst(operation.inst);
  const MachineForm* form = inst.is_machine() ? &function.instruction_set->form(inst) : nullptr;
  std::span<const psi::Operand> operands = function.operands(inst);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_reg()) continue;
    bool is_named = form && i < form->operands.size();
    uint32_t kind = is_named
                        ? kinds.find(operation.scheduling_class, role_of(*form, i), form->operands[i].name)
                        : kinds.find(operation.scheduling_class, MachineTiming::Role::Any, "");
    visit(operands[i].reg(), kind, static_cast<int>(i));
  }
  if (inst.guard) {
    visit(inst.guard.reg(), kinds.find(operation.scheduling_class, MachineTiming::Role::Guard, ""), -1);
  }
}

}  // namespace psi::simulator
