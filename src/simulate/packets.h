// A function read as packets: which operations issue together, and in which slots.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interp/monitor.h"
#include "psi/ir/function.h"
#include "psi/ir/instruction_set.h"
#include "psi/simulate/timing.h"

namespace psi::simulator {

inline constexpr uint32_t kNoClass = UINT32_MAX;

// What the machine makes of an instruction.
enum class Work : uint8_t {
  Operation,  // it issues
  Free,       // no instruction of the machine: phi, psi, values at boundaries, slots of the frame
  Elided,     // a jump to the next block, which is not there in assembly
};

struct Operation {
  InstId inst;
  uint32_t scheduling_class = kNoClass;
  uint64_t slots = 0;
  bool is_branch = false;
  bool is_call = false;
};

struct Packet {
  BlockId block;
  uint32_t first = 0;  // operations
  uint32_t count = 0;
};

struct PacketList {
  std::vector<Operation> operations;
  std::vector<Packet> packets;         // of each block one behind the other
  std::vector<uint32_t> first_packet;  // by BlockId; one more than there are blocks in the layout
  std::vector<uint32_t> num_packets;   // by BlockId
  bool has_stops = false;              // a block is in packets
  std::vector<bool> is_packed;         // by BlockId: it has packets that are marked

  std::span<const Operation> of(const Packet& packet) const {
    return std::span(operations).subspan(packet.first, packet.count);
  }
};

// Nothing, with the reason, if the function is not all of the machine's instructions.
std::optional<PacketList> read_packets(const Function& function, const MachineTiming& timing,
                                       std::string_view name, interp::MonitorRefusal& refusal);

// Slots for the operations of a packet, of those that are `free`, by operation; false if there are none.
bool assign_slots(std::span<const Operation> operations, const MachineTiming& timing, uint64_t free,
                  std::vector<uint64_t>& slots);

}  // namespace psi::simulator
