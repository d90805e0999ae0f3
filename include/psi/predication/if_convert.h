// If-conversion: branches become guards, and regions single blocks.
#pragma once

#include <vector>

#include "psi/pass/pass.h"
#include "psi/target/target.h"

namespace psi {

struct IfConvertOptions {
  enum class Mode : uint8_t {
    Cost,  // where the target is expected to need fewer cycles
    All,   // wherever it is legal
  };
  enum class Regions : uint8_t {
    Hammocks,     // from a branch to the join of its sides
    Hyperblocks,  // acyclic regions with any number of exits
  };
  // Branches without a measurement, except those that leave loops or lead back.
  enum class Unmeasured : uint8_t {
    Guessed,
    Unpredictable,  // each side is as likely, and they are mispredicted half of the time
  };
  Mode mode = Mode::Cost;
  Regions regions = Regions::Hammocks;
  Unmeasured unmeasured = Unmeasured::Guessed;
  // The most instructions that may be copied for one hyperblock, so that it can continue past side entries.
  uint32_t duplicate = 0;
  // Code generators may take quadratic time for blocks and for conditional moves. The most instructions of a
  // block, and the most regions converted in a function; 0: no limit.
  uint32_t size = 0;
  uint32_t count = 0;
};

// SSA form. Instructions that the target can guard get guards; others are speculated if that is safe, and
// otherwise keep their branch. phis become psis. Near-linear.
void if_convert(Function& function, Analyses& analyses, const Target& target, const IfConvertOptions& options,
                Counters& counters, Remarks* remarks = nullptr);

// The same as a pass, with its options by name; the pass table adds `target`.
void if_convert(PassContext& context);
std::vector<PassOption> if_convert_options();

// Selects of innermost loops that a processor predicts become branches where the target needs fewer cycles
// then. SSA form.
void branch_selects(PassContext& context);

// Branches on two conditions within loops, each of which a processor predicts, become two branches. SSA form.
// Linear.
void split_conditions(PassContext& context);

// Short loop headers that a predicted branch ends are copied to their two back edges. SSA form.
void copy_headers(PassContext& context);

// Merges two loads, stores or divisions under complementary guards into one with selected operands. SSA form.
// Near-linear.
void join_exclusive(PassContext& context);

// Executes guarded loads and stores unconditionally, on an unused slot where the guard is false; guarded
// divisions likewise, with the divisor 1. SSA form. Linear.
void redirect(PassContext& context);

}  // namespace psi
