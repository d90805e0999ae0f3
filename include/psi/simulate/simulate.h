// The simulator: it executes functions of machine instructions and counts the cycles that the machine takes
// for them (docs/simulation.md). What a program does is judged by the interpreter's rules, whose memory and
// external functions it shares.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/interp/interpret.h"
#include "psi/simulate/timing.h"

namespace psi {

struct SimulateOptions {
  InterpretOptions run;                                // profile and stats_of are not for machines
  uint64_t trace = 0;                                  // packets to show
  std::function<void(std::string_view)> trace_output;  // lines; null: dropped
};

// Counts of the packets that were issued. Cycles are packets, stalls and what taken branches cost.
struct CycleStats {
  uint64_t calls = 0;
  uint64_t packets = 0;
  uint64_t operations = 0;  // nullified ones included: they occupy their slots
  uint64_t nullified = 0;
  uint64_t branches = 0;                 // operations that may transfer control within the function
  uint64_t taken = 0;                    // transfers to a block other than the next
  std::vector<uint64_t> operand_stalls;  // cycles, by class of the instruction that was waited for
  uint64_t slot_stalls = 0;              // cycles, for a slot that is busy
  uint64_t branch_cycles = 0;            // lost by taken branches, calls and returns

  uint64_t stalls() const;
  uint64_t cycles() const { return packets + stalls() + branch_cycles; }
  void add(const CycleStats& other);
};

struct FunctionCycles {
  SymbolId function;
  CycleStats stats;
};

struct Simulation {
  Outcome outcome;  // its statistics are empty
  CycleStats total;
  std::vector<FunctionCycles> functions;  // those called, in the order of their symbols
};

// Runs `function` on the arguments. The module must verify.
Simulation simulate(const Module& module, SymbolId function, std::span<const Value> arguments,
                    const MachineTiming& timing, const SimulateOptions& options = {});

}  // namespace psi
