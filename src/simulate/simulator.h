// A run on a machine: the interpreter executes the code, and passes the marks between packets here, where
// time goes on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/decode.h"
#include "interp/monitor.h"
#include "psi/simulate/simulate.h"
#include "simulate/program.h"
#include "simulate/trace.h"

namespace psi::simulator {

class Simulator final : public interp::Monitor {
 public:
  Simulator(const Module& module, const MachineTiming& timing, const SimulateOptions& options);

  std::optional<interp::MonitoredCode> prepare(const Function& function,
                                               interp::MonitorRefusal& refusal) override;
  void decoded(const Function& function, interp::DecodedFunction& decoded) override;
  bool mark(uint32_t mark, uint64_t* values, uint8_t* undefs) override;
  void enter(SymbolId function) override;
  void leave() override;
  void finished(SymbolId function, const interp::DecodedFunction& decoded) override;

  void report(Simulation& simulation);

 private:
  struct Frame {
    uint32_t function;
    size_t board;    // where its part begins
    size_t pending;  // likewise
  };
  // A result that has not landed.
  struct Pending {
    uint64_t due;
    uint64_t order;  // the highest stays
    uint32_t entry;  // of the board
    uint32_t to;
    uint32_t writer_class;
    uint64_t bits;
    uint8_t undef;
  };

  void issue(Segment& segment, uint64_t* values, uint8_t* undefs);
  void wait_for_operands(const Segment& segment);
  void wait_for_results(const Segment& segment);
  void wait_for_slots(const Segment& segment);
  void land(uint64_t* values, uint8_t* undefs);
  void send(const LateWrite& write, const uint64_t* values, const uint8_t* undefs);
  void stall(const Segment& segment, uint64_t cycles, uint32_t writer_class);
  CycleStats& stats_of(uint32_t function) { return stats_[function]; }

  const MachineTiming& timing_;
  Program program_;
  Trace trace_;
  std::vector<uint32_t> function_of_;  // by SymbolId
  bool has_busy_slots_;
  std::vector<CycleStats> stats_;  // by function of the program
  std::vector<Frame> frames_;
  // Of all frames. Of a machine that waits: (cycle of issue + 1) << 16 | class, of the last write; 0: ready.
  // With exposed latencies: the order of the last write that landed.
  std::vector<uint64_t> board_;
  std::vector<Pending> pending_;
  std::vector<uint64_t> slot_free_;  // by slot: the first cycle in which it is
  std::vector<uint64_t> slots_;
};

}  // namespace psi::simulator
