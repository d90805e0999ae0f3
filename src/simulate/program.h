// A function as the simulator executes it: code with marks, and what a mark means.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/decode.h"
#include "interp/monitor.h"
#include "psi/ir/module.h"
#include "simulate/hazards.h"
#include "simulate/packets.h"
#include "simulate/reads.h"
#include "simulate/sequence.h"

namespace psi::simulator {

// What one function adds to the others.
struct ProgramFunction {
  SymbolId symbol;
  const Function* function = nullptr;
  bool is_exposed = false;
  uint32_t board_size = 0;
  PacketList packets;
  std::vector<uint32_t> counters;  // by instruction: of its false guards; 0: it has none
  // Its packets as a sequence, before meanings took the place of instructions.
  std::unique_ptr<const Function> sequenced;
  const interp::DecodedFunction* decoded = nullptr;
};

// What happens at a mark, in order.
struct Action {
  enum class Kind : uint8_t { Segment, Late, Opaque };
  Kind kind = Kind::Segment;
  uint32_t index = 0;  // of the segment, late write or message
};

struct Mark {
  uint32_t first = 0;
  uint32_t count = 0;
};

// All functions that were called so far. Indices run through all of them.
class Program {
 public:
  // `merge`: packets without waits between them share a segment.
  Program(const Module& module, const MachineTiming& timing, bool merge)
      : module_(module), timing_(timing), merge_(merge), kinds(timing) {}

  std::optional<interp::MonitoredCode> add(const Function& function, interp::MonitorRefusal& refusal);

 private:
  const Module& module_;
  const MachineTiming& timing_;
  bool merge_;

 public:
  ReaderKinds kinds;
  std::deque<ProgramFunction> functions;  // the trace keeps one while others are added
  std::vector<Mark> marks;
  std::vector<Action> actions;
  std::vector<Segment> segments;
  std::vector<Check> checks;
  std::vector<Write> writes;
  std::vector<LateWrite> late_writes;
  std::vector<std::string> messages;

 private:
  // Where events take place in the code without meanings.
  void place_marks(const Sequence& sequence, const std::vector<uint32_t>& segment_of,
                   interp::MonitoredCode& code);
  void count_false_guards(ProgramFunction& function, const Sequence& sequence, interp::MonitoredCode& code);
};

}  // namespace psi::simulator
