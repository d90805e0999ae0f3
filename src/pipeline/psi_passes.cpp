// The transformations of psis, and speculation.
#include "pipeline/pass_groups.h"
#include "psi/predication/predicated_ssa.h"
#include "psi/psi_transforms/psi_transforms.h"
#include "psi/psi_transforms/speculate.h"

namespace psi {
namespace {

Pass psi_pass(const char* name, const char* summary, std::vector<PassOption> options,
              std::vector<PassOrdering> after, void (*run)(PassContext&)) {
  return {.name = name,
          .summary = summary,
          .needs = {Form::Ssa},
          .makes = std::nullopt,
          .keeps = Keeps::ControlFlow,
          .options = std::move(options),
          .after = std::move(after),
          .run = run,
          .needs_guards = true,
          .only_moves = true};
}

std::vector<PassOrdering> before_lowering() {
  std::vector<PassOrdering> orderings;
  for (const char* pass : {"psi-inline", "psi-reduce", "psi-project", "psi-permute", "psi-promote",
                           "psi-normalize", "psi-web"}) {
    orderings.push_back({pass, "psi-lower leaves no psis", PassOrdering::Kind::Required});
  }
  orderings.push_back({"if-convert", "if-convert makes the psis"});
  orderings.push_back({"join-exclusive", "the psi of two that are joined is one value, and needs no select"});
  return orderings;
}

}  // namespace

void add_psi_passes(PassTable& table) {
  table.add(psi_pass("psi-inline", "replace arguments that are psis by the arguments of these psis",
                     psi_inline_options(), {}, psi_inline));
  table.add(psi_pass("psi-reduce", "drop the arguments of psis that are never taken", {},
                     {{"psi-inline", "psi-inline brings arguments that are never taken"}}, psi_reduce));
  table.add(psi_pass("psi-project", "make uses under a guard read only the arguments taken there",
                     psi_project_options(), {{"psi-reduce", "a psi of few arguments is projected to one"}},
                     psi_project));
  table.add(psi_pass("psi-permute", "bring the arguments of psis into the order of their definitions", {}, {},
                     psi_permute));
  table.add(psi_pass("psi-promote", "enlarge the guards of psi arguments, to read fewer predicates", {},
                     {{"if-convert", "if-convert makes the psis"}}, psi_promote));
  table.add(psi_pass("speculate", "remove guards of definitions, for fewer predicates and shorter chains",
                     speculate_options(),
                     {{"psi-promote", "guards that no psi reads can be removed from definitions, too"}},
                     [](PassContext& context) { speculate(context); }));
  table.add(psi_pass("psi-lower", "turn psis into selects, for targets that guard little else",
                     psi_lower_options(), before_lowering(), psi_lower));
  table.add({.name = "predicated-ssa",
             .summary = "convert acyclic regions to predicated SSA: one block, values per path",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = predicated_ssa_options(),
             .after = {},
             .run = predicated_ssa,
             .adds_guards = true});
}

}  // namespace psi
