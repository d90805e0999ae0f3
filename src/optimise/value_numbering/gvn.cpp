// Replaces computations by registers that already hold their value.
//
//     %a = add %x, %y           %a = add %x, %y
//     store %a, %p              store %a, %p
//     %b = add %y, %x    ==>    ... %a for %b, %a for %c
//     %c = load %p
//
// A walk down the dominator tree with a table of the expressions above (P. Briggs, K. Cooper, L. Simpson,
// "Value Numbering", Software: Practice and Experience 27(6), 1997), which uses equalities from branches
// below them, and finds the values of loads in memory (gvn_loads.h). Before the walk, with scope=global,
// partitioning finds values that are equal around loops (value_numbering.cpp).
//
// Guards: y may be replaced by an equal x only if the domain of x contains that of y. Where it does not, y
// counts as another value, and may in turn replace what x could not, so expressions over x and y are never
// confused.
//
// Requires: SSA form. Ensures: the same form; volatile accesses, calls with effects, slots and freezes stay.
// Near-linear: a load visits a bounded number of accesses, an expression a bounded number of equal ones.
#include <optional>

#include "optimise/value_numbering/gvn_walk.h"
#include "psi/cfg/unreachable.h"
#include "psi/optimise/value_numbering.h"

namespace psi {

std::vector<PassOption> gvn_options() {
  return {PassOption::word("scope", {"global", "dominator"},
                           "what is equal: also around loops, or what comes before alone"),
          PassOption::flag("loads", true, "look for values in memory"),
          PassOption::flag("branches", true, "use facts from branches in the blocks below them"),
          PassOption::flag("guards", true, "use facts from guards about the operands of their instructions")};
}

void gvn(PassContext& context) {
  constexpr int kMaxWalks = 2;
  size_t blocks = context.function.layout().size();
  dce_unreachable(context.function, context.analyses, context.counters);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  optimise::GvnOptions options{context.arguments.flag("loads"), context.arguments.flag("branches"),
                               context.arguments.flag("guards")};
  for (int i = 0; i < kMaxWalks; ++i) {
    std::optional<ValueNumbering> numbers;
    if (i == 0 && context.arguments.word("scope") == "global")
      numbers.emplace(context.function, context.analyses);
    if (!optimise::GvnWalk(context, options, numbers ? &*numbers : nullptr).run()) break;
  }
}

}  // namespace psi
