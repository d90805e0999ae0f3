// If-conversion, its reverse, and related passes.
#include "pipeline/pass_groups.h"
#include "psi/predication/if_convert.h"

namespace psi {

void add_predication_passes(PassTable& table) {
  std::vector<PassOption> options = if_convert_options();
  options.insert(options.begin(), PassOption::target());
  table.add({.name = "branch-selects",
             .summary = "turn selects that processors predict into branches, where the target is faster then",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {},
             .run = [](PassContext& context) { branch_selects(context); }});
  table.add({.name = "split-conditions",
             .summary = "turn a branch on two conditions that processors predict into two branches",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {},
             .run = [](PassContext& context) { split_conditions(context); }});
  table.add({.name = "if-convert",
             .summary = "turn branches into guards, and the blocks between them into one",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = std::move(options),
             .after = {},
             .run = [](PassContext& context) { if_convert(context); }});
  table.add({.name = "join-exclusive",
             .summary = "make one of two loads, stores or divisions under complementary guards",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = {},
             .after = {},
             .run = [](PassContext& context) { join_exclusive(context); }});
  table.add(
      {.name = "redirect",
       .summary = "execute guarded loads, stores and divisions always, with an operand that does no harm",
       .needs = {Form::Ssa},
       .makes = std::nullopt,
       .keeps = Keeps::ControlFlow,
       .options = {},
       .after = {},
       .run = [](PassContext& context) { redirect(context); }});
  table.add({.name = "copy-headers",
             .summary = "copy a short loop header that a predicted branch ends to the ways back to it",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {},
             .run = [](PassContext& context) { copy_headers(context); }});
}

}  // namespace psi
