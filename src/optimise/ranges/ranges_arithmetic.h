// Interval arithmetic of instructions.
//
//     %x in [0, 15], %y in [1, 3]      %z = sub.i8 %x, %y      signed [-3, 14]
#pragma once

#include "optimise/ranges/ranges_interval.h"

namespace psi::optimise {

// The result of an instruction on operands from these intervals, none of them empty; full where nothing
// better is known. For integer instructions of one or two operands, and conversions between integers.
Interval evaluate_interval(const Inst& inst, const Interval& a, const Interval& b);
// Can the operation's exact result fail to fit?
bool may_overflow(Opcode op, Type type, const Interval& a, const Interval& b);

}  // namespace psi::optimise
