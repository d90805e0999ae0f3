// Copies that happen all at once, put into an order in which they can happen one after the other.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "psi/function.h"

namespace psi {

// guard ? target = source
struct Copy {
  Reg target;
  Operand source;
  Guard guard;
  bool operator==(const Copy&) const = default;
};

// The copies of `parallel` read all their sources and guards before any of them writes. No two of them write
// the same register, unless their guards exclude each other. The result does the same one by one.
//
// A register that is overwritten while its old value is still needed is saved in one that `make_temporary`
// gives (of the type of the register that it is called with), unless a copy that came before left the value
// somewhere else: at most one for each cycle of copies. Without guards there are as few as can be. Copies of
// a register to itself and of undef are dropped; otherwise the order is kept where nothing speaks against it.
// Near-linear, but that copies with guards that wait for one another are gone through once for each cycle.
std::vector<Copy> sequentialise(std::span<const Copy> parallel,
                                const std::function<Reg(Reg saved)>& make_temporary);

}  // namespace psi
