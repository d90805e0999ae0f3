// The transformations of psis, and speculation.
#include "pipeline/pass_groups.h"
#include "psi/predication/predicated_ssa.h"
#include "psi/psi_transforms/psi_transforms.h"
#include "psi/psi_transforms/speculate.h"

namespace psi {
namespace {

Pass psi_pass(const char* name, const char* summary, std::vector<PassOption> options,
              void (*run)(PassContext&)) {
  return {.name = name,
          .summary = summary,
          .needs = {Form::Ssa},
          .makes = std::nullopt,
          .keeps = Keeps::ControlFlow,
          .options = std::move(options),
          .after = {},
          .run = run};
}

}  // namespace

void add_psi_passes(PassTable& table) {
  table.add(psi_pass("psi-inline", "replace psis that are arguments of psis by what they merge",
                     psi_inline_options(), psi_inline));
  table.add(psi_pass("psi-reduce", "drop the arguments of psis that are never taken", {}, psi_reduce));
  table.add(psi_pass("psi-project", "let what is read under a guard come from the arguments that are taken",
                     psi_project_options(), psi_project));
  table.add(psi_pass("psi-permute", "bring the arguments of psis into the order of their definitions", {},
                     psi_permute));
  table.add(psi_pass("psi-promote", "enlarge the guards of psi arguments, to read fewer predicates", {},
                     psi_promote));
  table.add(psi_pass("speculate", "remove guards of definitions, for fewer predicates and shorter chains",
                     speculate_options(), [](PassContext& context) { speculate(context); }));
  table.add(psi_pass("psi-lower", "selects in the place of psis, for machines that guard little else",
                     psi_lower_options(), psi_lower));
  table.add({.name = "predicated-ssa",
             .summary = "make acyclic regions one block, with a copy for each path of what depends on it",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = predicated_ssa_options(),
             .after = {},
             .run = predicated_ssa});
}

}  // namespace psi
