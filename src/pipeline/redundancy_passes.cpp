// Computations that were done before.
#include "pipeline/pass_groups.h"
#include "psi/value_numbering.h"

namespace psi {

void add_redundancy_passes(PassTable& table) {
  table.add({.name = "gvn",
             .summary = "replace what was computed or loaded before",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = gvn_options(),
             .after = {},
             .run = gvn});
}

}  // namespace psi
