// What watches a run step by step and keeps its time: the simulator of machines. It gives the code to execute
// in the place of a function's own, with marks in it that the interpreter passes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "psi/ir/meaning.h"

namespace psi::interp {

struct DecodedFunction;

struct MonitoredCode {
  Expanded expanded;  // origins are instructions of the program
  // By instruction of `expanded.function`: the mark that is passed before it, plus one; 0: none.
  std::vector<uint32_t> marks;
  // Likewise: which of DecodedFunction::nullified counts where its guard is false. The first counts nothing.
  std::vector<uint32_t> counters;
  uint32_t num_counters = 1;
};

// Why code cannot be run.
struct MonitorRefusal {
  std::string message;
  InstId inst;  // of the program
};

class Monitor {
 public:
  virtual ~Monitor() = default;

  uint64_t cycle = 0;
  std::string message;

  // Nothing, with the reason in `refusal`, if the function cannot be run.
  virtual std::optional<MonitoredCode> prepare(const Function& function, MonitorRefusal& refusal) = 0;
  // The decoded form of what `prepare` gave; it may set the cycles of edges.
  virtual void decoded(const Function& function, DecodedFunction& decoded) = 0;
  // The frame's registers are `values` and `undefs`. False stops the run, because of `message`.
  virtual bool mark(uint32_t mark, uint64_t* values, uint8_t* undefs) = 0;
  // Before a frame is made, and before it is left; by SymbolId.
  virtual void enter(SymbolId function) = 0;
  virtual void leave() = 0;
  // When the run has ended.
  virtual void finished(SymbolId function, const DecodedFunction& decoded) = 0;
};

}  // namespace psi::interp
