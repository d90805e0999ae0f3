// Predicates, loops and addresses.
#include "pipeline/pass_groups.h"
#include "psi/optimise/addresses.h"
#include "psi/optimise/induction.h"
#include "psi/optimise/simplify_predicates.h"

namespace psi {

void add_loop_passes(PassTable& table) {
  table.add({.name = "simplify-predicates",
             .summary = "replace predicates that others decide, and drop guards and branches that are known",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {},
             .run = [](PassContext& context) { simplify_predicates(context); }});
  table.add({.name = "induction",
             .summary = "simplify induction variables: merge, replace final values, widen, reduce strength",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::word("strength-reduce", {"auto", "on", "off"},
                                          "turn products into counters: where the program does not get "
                                          "longer, or where the target multiplies slowly"),
                         PassOption::target()},
             .after = {},
             .run = [](PassContext& context) { induction(context); }});
  table.add({.name = "widen-phis",
             .summary = "widen loaded numbers that the next iteration uses as an index",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = {},
             .after = {{"branch-selects", "branch-selects looks for phis of the width that was loaded"},
                       {"if-convert", "if-convert looks for phis of the width that was loaded"}},
             .run = [](PassContext& context) { widen_phis(context); },
             .only_moves = true});
  table.add({.name = "addresses",
             .summary = "compute addresses in the target's forms: base + index * scale + offset",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {{"induction", "induction makes the addresses of loops"}},
             .run = [](PassContext& context) { addresses(context); }});
}

}  // namespace psi
