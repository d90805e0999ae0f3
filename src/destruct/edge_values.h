// What a branch tells of the values it looked at.
#pragma once

#include "psi/analyses.h"
#include "psi/function.h"

namespace psi::destruction {

//     @a: p = cmp.eq x, 0
//         br p, @join, @b              y may as well take x from @a, which spares the constant,
//     @b: ...                          and if x and y become one register, the copy
//     @join: y = phi [@a: 0], ...
//
// (GCC calls it uncprop.)
class EdgeValues {
 public:
  EdgeValues(const Function& function, Analyses& analyses)
      : function_(function),
        cfg_(analyses.cfg()),
        dominators_(analyses.dominators()),
        uses_(analyses.uses()) {}

  // A register that is known to have the literal's value on all edges from one block to another; none if none
  // is known.
  Reg find(BlockId from, BlockId to, Operand literal) const;

 private:
  Reg told_by_branch(BlockId from, BlockId to, Operand literal) const;

  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Uses& uses_;
};

}  // namespace psi::destruction
