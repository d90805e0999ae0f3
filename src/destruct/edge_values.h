// Values known on edges from the conditions of branches.
#pragma once

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi::destruct {

//     @a: p = cmp.eq x, 0
//         br p, @join, @b              y may as well take x from @a, which saves the constant,
//     @b: ...                          and if x and y become one register, the copy
//     @join: y = phi [@a: 0], ...
//
// (GCC calls it uncprop.)
class EdgeValues {
 public:
  EdgeValues(const Function& function, Analyses& analyses)
      : function_(function),
        cfg_(analyses.get<Cfg>()),
        dominators_(analyses.get<Dominators>()),
        uses_(analyses.get<Uses>()) {}

  // A register that is known to have the literal's value on all edges from one block to another, if any.
  Reg find(BlockId from, BlockId to, Operand literal) const;

 private:
  Reg equal_on_edge(BlockId from, BlockId to, Operand literal) const;

  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Uses& uses_;
};

}  // namespace psi::destruct
