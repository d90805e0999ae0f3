// Copies that isolate the registers of phis, psis and partial compares, so that each of these may be renamed
// to one register, independent of the rest of the function.
#pragma once

#include <vector>

#include "destruct/copies.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/function.h"
#include "psi/ir/views.h"
#include "psi/pass/analyses.h"

namespace psi::destruct {

// Which registers of a phi get a copy.
enum class PhiCopies : uint8_t { Arguments, ArgumentsAndResults };

// A copy of a register that could be a copy of a literal.
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
// The copies take effect with Copies::apply. Undef arguments stay. Unread phis are removed.
//
// `literals`, if given: literals that are known to be in a register are copied from it, and recorded.
void isolate_phis(Function& function, Analyses& analyses, PhiCopies which, Copies& copies,
                  std::vector<LiteralCopy>* literals = nullptr);

//     p ? b = op                        c1 = a
//     x = psi a, p ? b        ==>       p ? b = op
//                                       p ? c2 = b
//                                       x = psi c1, p ? c2
//
// Normalizes every psi. Takes effect at once. `predicates`: compare guards as predicates, not by name.
void isolate_psis(Function& function, Analyses& analyses, bool predicates);

// A partial target of a cmpp reads the old contents of its register: copies these just above.
void isolate_partial_compares(Function& function, const Dominators& dominators, Copies& copies);

// Calls visit(target, index of the operand with its old value) for the partial targets of a cmpp in SSA form.
template <class Visit>
void for_each_old_value(const Inst& cmpp, Visit visit) {
  if (!cmpp.has_old_values()) return;
  for (int target = 0; target < 2; ++target) {
    if (!is_partial(cmpp.action(target))) continue;
    visit(cmpp.results[target], old_value_operand(cmpp, target));
  }
}

}  // namespace psi::destruct
