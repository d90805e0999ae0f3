// Into guards and back.
#include "pipeline/pass_groups.h"
#include "psi/if_convert.h"

namespace psi {

void add_predication_passes(PassTable& table) {
  std::vector<PassOption> options = if_convert_options();
  options.insert(options.begin(), target_option());
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
  table.add({.name = "redirect",
             .summary = "execute guarded loads, stores and divisions always, with an operand that does no harm",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = {},
             .after = {},
             .run = [](PassContext& context) { redirect(context); }});
}

}  // namespace psi
