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
}

}  // namespace psi
