// Copies that take the registers of phis, psis and partial compares apart from all others, so that each of
// these may be renamed to one register whatever the rest of the function does.
#pragma once

#include <vector>

#include "destruct/copies.h"
#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::destruction {

// Which registers of a phi get a copy of their own.
enum class PhiCopies : uint8_t { Arguments, ArgumentsAndResults };

// A copy of a register that may as well be one of a literal.
struct LiteralCopy {
  InstId copy;
  Operand literal;
};

//     @a: ...                        @a: ...
//         br p, @b, @c                   a1' = a1
//     @b: x = phi [@a: a1], ...          br p, @b, @c
//                             ==>    @b: x' = phi [@a: a1'], ...
//                                        x = x'
//
// The copies take effect with Copies::apply. Undef arguments stay. A phi that nobody reads goes.
//
// `literals`, if there is such: literals that are known to be in a register are copied from there, and noted.
void isolate_phis(Function& function, Analyses& analyses, PhiCopies which, Copies& copies,
                  std::vector<LiteralCopy>* literals = nullptr);

//     p ? b = op                        c1 = a
//     x = psi a, p ? b        ==>       p ? b = op
//                                       p ? c2 = b
//                                       x = psi c1, p ? c2
//
// Afterwards every psi is normalized, whatever its arguments were. Takes effect at once. `predicates`:
// compare guards by what they stand for, not by name.
void isolate_psis(Function& function, Analyses& analyses, bool predicates);

// A partial target of a cmpp reads the old contents of its register: copies these just above.
void isolate_partial_compares(Function& function, const Dominators& dominators, Copies& copies);

// Calls visit(target, index of the operand with its old value) for the partial targets of a cmpp in SSA form.
template <class Visit>
void for_each_old_value(const Inst& cmpp, Visit visit) {
  uint32_t operand = 3;
  for (int target = 0; target < 2; ++target) {
    if (!cmpp.results[target] || !is_partial(cmpp.action(target))) continue;
    if (operand >= cmpp.count) return;
    visit(cmpp.results[target], operand++);
  }
}

}  // namespace psi::destruction
