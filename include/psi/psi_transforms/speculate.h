// Speculation: to execute a definition also where its guard is false, so that its guard need not be read.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/pass/pass.h"

namespace psi {

// May the instruction be executed where it was not before, even if its operands are undefined there? Pure
// ones can, divisions by a literal that cannot fault, and, if `address_is_defined`, loads that are known not
// to trap.
bool can_be_speculated(const Function& function, const Inst& inst, bool address_is_defined);

struct SpeculateOptions {
  enum class Goal : uint8_t {
    Both,
    Predicates,  // so that predicates need not be computed any more
    Height,      // so that blocks have a shorter dependence height
    All,         // whatever can be: for machines that have no guards for these instructions
  };
  Goal goal = Goal::Both;
};

// The longest chain of instructions in a block that need each other's results, or predicates: summed up over
// the blocks that can be reached. Each instruction takes one step. A psi takes none, but for arguments that
// will need a copy: those, but for the first, that are not defined under the guard that they have in the psi.
uint64_t dependence_height(const Function& function, Analyses& analyses);
// Of one block.
uint32_t dependence_height(const Function& function, Analyses& analyses, BlockId block);

// Removes guards of definitions, promotes the first arguments of psis, and removes the predicates that nobody
// reads then. SSA form. Near-linear.
void speculate(const Module& module, Function& function, Analyses& analyses, const SpeculateOptions& options,
               Counters& counters, Remarks* remarks = nullptr);

// The same as a pass, with its option by name.
void speculate(PassContext& context);
std::vector<PassOption> speculate_options();

}  // namespace psi
