// Algebra, value ranges and predicates.
#include "pipeline/pass_groups.h"
#include "psi/optimise/ranges.h"
#include "psi/optimise/simplify.h"

namespace psi {

void add_simplification_passes(PassTable& table) {
  table.add({.name = "simplify",
             .summary = "replace instructions by simpler ones, by the rules of algebra, until none applies",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {},
             .run = simplify});
  table.add({.name = "ranges",
             .summary =
                 "find the limits of integers, and drop compares, masks and extensions that follow from them",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {{"simplify", "simplify leaves fewer forms of compares and masks"}},
             .run = ranges});
}

}  // namespace psi
