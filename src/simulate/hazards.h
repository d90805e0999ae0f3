// Which reads may have to wait on a machine that waits for its operands. Inside a block the distances of
// packets are known, so most cannot; the others are looked up in a board when their packet issues.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/ir/function.h"
#include "simulate/packets.h"
#include "simulate/reads.h"

namespace psi::simulator {

struct Check {
  uint32_t entry;  // of the board
  uint32_t kind;   // of the reader
  Reg reg;
};

struct Write {
  uint32_t entry;
  uint32_t writer_class;
  uint32_t offset;  // cycles from the beginning of the segment
};

// Packets that follow each other without a wait or a transfer of control between them.
struct Segment {
  uint32_t function = 0;  // as the monitor numbers them
  uint32_t first_check = 0, num_checks = 0;
  uint32_t first_write = 0, num_writes = 0;
  uint32_t first_packet = 0, num_packets = 0;  // of the function
  uint32_t num_operations = 0, num_branches = 0;
  uint64_t count = 0;
};

struct PacketReads {
  struct Read {
    Reg reg;
    uint32_t kind;
  };
  std::vector<Read> reads;
  std::vector<std::pair<Reg, uint32_t>> writes;  // with the class of the writer
};

class Hazards {
 public:
  // `merge`: packets may share a segment.
  Hazards(const Function& function, const PacketList& packets, const ReaderKinds& kinds, bool merge);

  void begin_block();
  // Adds the packet to the last segment, or begins one: then true.
  bool add(uint32_t packet, const PacketReads& reads, std::vector<Segment>& segments,
           std::vector<Check>& checks, std::vector<Write>& writes);
  uint32_t board_size() const { return board_size_; }

 private:
  static constexpr uint32_t kNoEntry = UINT32_MAX;

  struct Known {
    uint32_t block = 0;
    uint32_t offset = 0;
    uint32_t writer_class = 0;
  };

  uint32_t find(uint32_t reg);
  void join(Reg a, Operand b);
  void join_webs();
  bool may_wait(uint32_t entry, uint32_t kind) const;

  const Function& function_;
  const PacketList& packets_;
  const ReaderKinds& kinds_;
  bool merge_;
  std::vector<uint32_t> parent_;                  // webs of phis and psis are as one register
  std::vector<uint32_t> entry_;                   // by register
  std::vector<std::vector<uint32_t>> producers_;  // by entry: classes
  uint32_t board_size_ = 0;
  std::vector<Known> known_;  // by entry: the last write in this block
  uint32_t block_ = 0;
  uint32_t offset_ = 0;  // cycles since the beginning of the block, if nothing waits
  uint32_t segment_offset_ = 0;
  bool open_ = false;  // may the last segment grow?
};

}  // namespace psi::simulator
