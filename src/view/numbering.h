// What text and drawings of data flow call instructions and dependences.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "psi/ir/function.h"
#include "psi/live/dependence_graph.h"

namespace psi::view {

// The instructions of a function by number, from 1.
class Numbering {
 public:
  explicit Numbering(const Function& function) : numbers_(function.num_insts()) {
    uint32_t next = 0;
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) numbers_[id.index()] = ++next;
    }
  }
  uint32_t operator[](InstId id) const { return numbers_[id.index()]; }

 private:
  std::vector<uint32_t> numbers_;
};

inline std::string_view dependence_name(Dependence::Kind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"flow", "anti", "output", "memory", "control"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace psi::view
