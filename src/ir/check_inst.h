// Does an instruction that is about to be added make sense where it stands alone? What other instructions it
// depends on is the verifier's to judge.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "psi/ir/function.h"

namespace psi {

class Module;

// What is wrong with the record, in words; empty if nothing is. `module`, if known, tells of callees. It
// takes any bits, and time linear in the operands.
std::string mistake_in(const Function& function, const Inst& inst, std::span<const Operand> operands,
                       const Module* module);

// "1 operand", "2 operands".
std::string counted(size_t count, std::string_view noun);

// `%x` or `%3`, `@loop` or `@2`, for messages about functions that may be half made.
std::string shown(const Function& function, Reg r);
std::string shown(const Function& function, BlockId b);
// `add.i32`.
std::string shown(const Inst& inst);

}  // namespace psi
