// Redundant computations.
#include "pipeline/pass_groups.h"
#include "psi/optimise/dse.h"
#include "psi/optimise/guarded_redundancy.h"
#include "psi/optimise/pre.h"
#include "psi/optimise/value_numbering.h"

namespace psi {

void add_redundancy_passes(PassTable& table) {
  table.add({.name = "gvn",
             .summary = "replace computations and loads by equal earlier values",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = gvn_options(),
             .after = {},
             .run = gvn});
  table.add({.name = "pre",
             .summary = "remove partial redundancies: compute on all paths what some have computed",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = pre_options(),
             .after = {{"gvn", "gvn finds what is redundant on all paths, which needs no insertion"}},
             .run = pre});
  table.add({.name = "guarded-redundancy",
             .summary = "merge equal computations under several guards into one",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = guarded_redundancy_options(),
             .after = {{"gvn", "gvn needs no other guard where one guard contains the other"}},
             .run = guarded_redundancy,
             .needs_guards = true});
  table.add({.name = "dse",
             .summary = "remove stores that are never read",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {{"gvn", "gvn replaces loads, which keep stores alive"}},
             .run = dse,
             .only_moves = true});
}

}  // namespace psi
