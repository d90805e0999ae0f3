// Parallel copies, ordered so that they can be executed one by one.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "psi/ir/function.h"

namespace psi {

// guard ? target = source
struct Copy {
  Reg target;
  Operand source;
  Guard guard;
  bool operator==(const Copy&) const = default;
};

// The copies of `parallel` read all their sources and guards before any of them writes. No two of them write
// the same register, unless their guards are disjoint. The result has the same effect, executed in order.
//
// A register that is overwritten while its old value is still needed is saved in a register from
// `make_temporary` (of the type of its argument), unless an earlier copy has left the value in another
// register: at most one temporary for each cycle of copies. Without guards the number of temporaries is
// minimal. Copies of a register to itself and of undef are dropped; otherwise the order is kept where
// possible. Near-linear, except that guarded copies of a cycle are visited once for each cycle.
std::vector<Copy> sequentialise(std::span<const Copy> parallel,
                                const std::function<Reg(Reg saved)>& make_temporary);

}  // namespace psi
