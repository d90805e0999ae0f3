// Where values are live, and in which lanes of a block.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "explore/lanes.h"
#include "psi/live/predicate_flow.h"

namespace psi::explore {

// Classes of registers.
inline constexpr std::array<std::string_view, 3> kClasses = {"general", "float", "predicate"};
constexpr uint32_t class_of(Type type) { return type == Type::i1 ? 2 : is_float(type) ? 1 : 0; }

// A set over lanes: a bit for each in which it holds always, and for each in which it holds at all.
struct LaneBits {
  uint8_t all = 0;
  uint8_t some = 0;
  bool operator==(const LaneBits&) const = default;
};
LaneBits bits_of(const Lanes& lanes, PartSet set);

// Within one block, between two points: point i is before the instruction at position i, the last is the end.
struct LiveRun {
  Reg reg;
  uint32_t first, last;
  LaneBits lanes;
};

struct BlockLife {
  std::vector<LiveRun> runs;  // by register, then point
  // By class, after each instruction.
  std::array<std::vector<uint32_t>, kClasses.size()> aware, blind;
};

class LiveLanes {
 public:
  LiveLanes(const Function& function, Analyses& analyses);

  // Enters the block: what its predicates are; null: it has none.
  Predicates* enter(BlockId b);
  // Of the block entered; `reached`: the executions of the region that reach it.
  BlockLife look_at(BlockId b, Lanes& lanes, PartSet reached);

 private:
  struct Open {
    LaneBits lanes;
    uint32_t first = 0, last = 0;
    bool is_open = false;
  };
  void count_blind(BlockId b, BlockLife& life);
  LaneBits where(const PredicateExpr& expr, Lanes& lanes, PartSet reached);
  void close(uint32_t item, BlockLife& life);

  const Function& function_;
  PredicateFlow aware_, blind_;
  std::vector<Open> open_;  // by item
  std::vector<uint32_t> opened_;
};

}  // namespace psi::explore
