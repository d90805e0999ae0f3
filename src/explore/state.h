// A state of a function: what the page shows of it, entry by entry, as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explore/lanes.h"
#include "psi/ir/module.h"
#include "psi/pass/analyses.h"

namespace psi::explore {

struct Entry {
  uint32_t id;
  std::string json;
  bool operator==(const Entry&) const = default;
};

// A line of the text.
struct Row {
  uint32_t id = 0;
  uint32_t block = 0;
  InstId inst;
  std::string text;
};

// A value is live in a block from one point to another: point i is before the row at position i.
struct Life {
  uint32_t block, first, last;
  std::string lanes;
};

struct State {
  // By id; regions by their entries.
  std::vector<Entry> blocks, instructions, values, regions;
  std::string head;       // members of the object that are always written
  std::string lists;      // members without ids
  std::vector<Row> rows;  // in the order of the text
  bool is_ssa = false;
  // What is needed of the state to say why copies are left; of functions that are not large.
  std::unordered_map<uint32_t, std::string> written;     // by instruction: the lanes in which it writes
  std::unordered_map<uint32_t, std::vector<Life>> life;  // by value

  // Two hashes of all that is_same compares.
  std::pair<uint64_t, uint64_t> hash() const;
  bool is_same(const State& other) const {
    return blocks == other.blocks && instructions == other.instructions && values == other.values &&
           regions == other.regions && head == other.head && lists == other.lists;
  }
};

// The lanes of the regions that were seen last, so that equal sets keep their places.
class LaneMemory {
 public:
  struct Seen {
    std::string term;
    uint32_t slot = 0;
    double weight = 0;
    std::vector<std::pair<uint32_t, bool>> holds;  // by value: is it true there?
  };
  // Gives the lanes of the region their slots, and remembers them.
  void place(uint32_t entry, Lanes& lanes, std::vector<Seen> now);
  // Of all blocks of the last state, for regions whose entry is gone.
  void begin() { last_.swap(now_), now_.clear(); }

 private:
  std::map<uint32_t, std::vector<Seen>> last_, now_;  // by the entry of the region
};

struct Limits {
  // Instructions up to which live ranges, interference and proofs are computed.
  uint32_t live = 6000;
  uint32_t interference = 1500;
  uint32_t pairs = 20000;
};

// Each instruction, and each register, that is listed must have an identity. Near-linear.
State look_at(const Module& module, const Function& function, LaneMemory& memory, const Limits& limits);

}  // namespace psi::explore
