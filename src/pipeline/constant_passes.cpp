// Constants, copies, dead code and control flow.
#include "pipeline/pass_groups.h"
#include "psi/optimise/dead_code.h"
#include "psi/optimise/propagate.h"

namespace psi {

void add_constant_passes(PassTable& table) {
  const std::vector<Form> kSsa = {Form::Ssa};
  table.add({.name = "sccp",
             .summary = "propagate constants and fold decided branches, under guards, too",
             .needs = kSsa,
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = sccp_options(),
             .after = {},
             .run = sccp});
  table.add({.name = "copy-propagate",
             .summary = "read the source of a copy; phis and psis of one value are copies",
             .needs = kSsa,
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {},
             .run = copy_propagate,
             .only_moves = true});
  table.add({.name = "adce",
             .summary = "remove dead code, branches and guards included",
             .needs = kSsa,
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {},
             .run = adce});
  table.add({.name = "simplify-cfg",
             .summary = "merge blocks, thread jumps, fold branches that others decide",
             .needs = kSsa,
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {{"adce", "adce leaves empty blocks and jumps to jumps"}},
             .run = simplify_cfg});
}

}  // namespace psi
