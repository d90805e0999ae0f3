// If-conversion, its reverse, and related passes.
#include "pipeline/pass_groups.h"
#include "psi/predication/if_convert.h"

namespace psi {

void add_predication_passes(PassTable& table) {
  std::vector<PassOption> options = if_convert_options();
  options.insert(options.begin(), PassOption::target());
  table.add({.name = "branch-selects",
             .summary = "turn predictable selects into branches, where that is faster on the target",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {},
             .run = [](PassContext& context) { branch_selects(context); },
             .only_moves = true,
             .decides = true});
  table.add(
      {.name = "split-conditions",
       .summary = "split a branch on two predictable conditions into two branches",
       .needs = {Form::Ssa},
       .makes = std::nullopt,
       .keeps = Keeps::Nothing,
       .options = {PassOption::target()},
       .after = {{"branch-selects", "branch-selects makes branches that end loops, as two conditions may"}},
       .run = [](PassContext& context) { split_conditions(context); },
       .only_moves = true,
       .decides = true});
  table.add({.name = "if-convert",
             .summary = "turn branches into guards, and the blocks between them into one",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = std::move(options),
             .after = {{"branch-selects", "if-convert makes selects again of branches that are better so"},
                       {"split-conditions",
                        "if-convert decides on each of the two branches by its own misprediction rate"}},
             .run = [](PassContext& context) { if_convert(context); },
             .only_moves = true,
             .decides = true,
             .adds_guards = true});
  table.add({.name = "join-exclusive",
             .summary = "merge two loads, stores or divisions under complementary guards",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = {},
             .after = {{"if-convert", "if-convert makes the guards that exclude each other"}},
             .run = [](PassContext& context) { join_exclusive(context); },
             .only_moves = true});
  table.add({.name = "redirect",
             .summary = "execute guarded loads, stores and divisions unconditionally, on harmless operands",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = {},
             .after = {{"join-exclusive", "redirect removes the guards that tell what excludes each other",
                        PassOrdering::Kind::Required},
                       {"if-convert", "if-convert makes the guards that redirect removes"},
                       {"psi-lower", "psi-lower still looks at guards, and redirect leaves none"}},
             .run = [](PassContext& context) { redirect(context); },
             .only_moves = true});
  table.add({.name = "copy-headers",
             .summary = "copy a short loop header with a predictable branch to its back edges",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {{"branch-selects", "branch-selects makes branches that end headers"},
                       {"if-convert", "a header whose branch becomes selects would be copied for nothing"}},
             .run = [](PassContext& context) { copy_headers(context); },
             .only_moves = true,
             .decides = true});
}

}  // namespace psi
