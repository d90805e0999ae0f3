// Legal code for a complete target: generic code of which a form of the target covers every instruction.
//
// Types that no register holds go: i64 becomes two i32 where that is the widest integer, i8 and i16 are in
// wider registers, floating-point numbers are integers of their width. So do operations that the target
// lacks, switches, addresses with a scale, memory operations, and guards where an instruction takes none.
// Values keep their types where they cross the boundary of the function (boundary.h). phi, psi, mov, freeze,
// ptradd, slots, calls, branches and variadic lists stay as they are: selection knows them.
#pragma once

#include <string>
#include <vector>

#include "psi/ir/module.h"
#include "psi/pass/pass.h"
#include "psi/target/target.h"

namespace psi {

// The pass, for `context.target()`. Any form but allocated. It refuses what it cannot make legal.
// Near-linear.
void legalise(PassContext& context);

// Declares the routines that code for the target may call, where the module has none of their names.
void declare_routines(Module& module, const Target& target);

struct IllegalInstruction {
  InstId inst;
  std::string reason;  // `tiny has no form for smin.i32`
};

// What selection could not cover, in the order of the text. Linear.
std::vector<IllegalInstruction> illegal_for_selection(const Function& function, const Target& target);

}  // namespace psi
