// Legal code for a target: what of a function it cannot execute, and code in its place that it can.
//
// Of interest is what a description says (docs/targets.md): guards, selects, the actions of cmpps,
// complements of guards, immediates, addresses. Operations that it does not have are calls of routines, which
// every target can execute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "psi/ir/module.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"
#include "psi/target/target.h"

namespace psi {

struct IllegalInst {
  InstId inst;
  std::string reason;  // `st200 has no guard on mov`
};

// In the order of the text. Any form; phis and psis stand for no instruction. Linear.
std::vector<IllegalInst> illegal_insts(const Module& module, const Function& function, const Target& target);

// Plain form. Afterwards nothing is illegal:
//
//     p ? x = add a, b         t = add a, b; x = select p, t, x      or  t = add a, b; p ? x = mov t
//     p ? store a, b           a branch around it (psi/predication/reverse_if_convert.h)
//     x = select p, a, b       q = freeze p; x = mov b; q ? x = mov a
//     p, q = cmpp.un.uc a, b   compares and logic
//     !p ? store a, b          n = not p; n ? store a, b
//     x = add a, 100000        t = mov 100000; x = add a, t
//     x = ptrindex a, i, 4, 0  t = shl i, 2; x = ptradd a, t
//
// Nothing is done to a function that is legal. Near-linear.
void lower_for_target(const Module& module, Function& function, Analyses& analyses, const Target& target,
                      Counters& counters);

}  // namespace psi
