// If-conversion: branches become guards, and the blocks between them one.
#pragma once

#include <vector>

#include "psi/pass.h"
#include "psi/target.h"

namespace psi {

struct IfConvertOptions {
  enum class Mode : uint8_t {
    Cost,  // where the machine is expected to need fewer cycles
    All,   // wherever it is right
  };
  enum class Regions : uint8_t {
    Hammocks,     // from a branch to where its sides meet
    Hyperblocks,  // as far as control goes on without a loop, left from anywhere
  };
  Mode mode = Mode::Cost;
  Regions regions = Regions::Hammocks;
  // Instructions that may be copied for one hyperblock, so that it can go on where control also comes from
  // elsewhere.
  uint32_t duplicate = 0;
  // Code generators may take quadratic time for blocks and for conditional moves. Instructions that a block
  // may come to have, and regions that may be converted in a function; 0: any number.
  uint32_t size = 0;
  uint32_t count = 0;
};

// SSA form. What the target can guard gets a guard; what it cannot is executed always, if that does no harm,
// and keeps its branch otherwise. phis become psis. Near-linear.
void if_convert(Function& function, Analyses& analyses, const Target& target, const IfConvertOptions& options,
                Counters& counters, Remarks* remarks = nullptr);

// The same as a pass, with its options by name; `target` is the pass table's to add.
void if_convert(PassContext& context);
std::vector<PassOption> if_convert_options();

// Of two loads, stores or divisions under complementary guards one is made, whose operands are chosen. SSA
// form. Near-linear.
void join_exclusive(PassContext& context);

// Guarded loads and stores are executed always, where the guard is false on a slot that nobody reads; guarded
// divisions likewise, by 1. SSA form. Linear.
void redirect(PassContext& context);

}  // namespace psi
