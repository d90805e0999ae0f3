#include "psi/simulate/simulate.h"

#include <new>
#include <numeric>
#include <stdexcept>

#include "interp/machine.h"
#include "simulate/simulator.h"

namespace psi {

uint64_t CycleStats::stalls() const {
  return std::accumulate(operand_stalls.begin(), operand_stalls.end(), slot_stalls);
}

void CycleStats::add(const CycleStats& other) {
  calls += other.calls;
  packets += other.packets;
  operations += other.operations;
  nullified += other.nullified;
  branches += other.branches;
  taken += other.taken;
  if (operand_stalls.size() < other.operand_stalls.size()) operand_stalls.resize(other.operand_stalls.size());
  for (size_t i = 0; i < other.operand_stalls.size(); ++i) operand_stalls[i] += other.operand_stalls[i];
  slot_stalls += other.slot_stalls;
  branch_cycles += other.branch_cycles;
}

Simulation simulate(const Module& module, SymbolId function, std::span<const Value> arguments,
                    const MachineTiming& timing, const SimulateOptions& options) {
  Simulation simulation;
  try {
    simulator::Simulator machine(module, timing, options);
    simulation.outcome = interp::Machine(module, options.run, &machine).run(function, arguments);
    machine.report(simulation);
    return simulation;
  } catch (const std::bad_alloc&) {
    // The limits exceed the host's memory.
  } catch (const std::length_error&) {
  }
  simulation.outcome.status = Outcome::Status::Exhausted;
  simulation.outcome.message = "out of memory of the host";
  return simulation;
}

}  // namespace psi
