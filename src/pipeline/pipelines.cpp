// The pipelines, as tables: what -O1 and -O2 stand for, what psicc does to a function, and what is done for a
// target.
//
// O1 and O2 are groups that are repeated until none of their passes changes anything, so that a second run
// changes nothing.
#include "pipeline/pass_groups.h"
#include "psi/predication/if_convert.h"

namespace psi {
namespace {

constexpr auto kGrouped = PipelineStep::Repeat::Grouped;
constexpr auto kOnce = PipelineStep::Repeat::Once;

constexpr const char* kAdceFirst =
    "construction leaves phis that only feed each other, which all later passes would visit";
constexpr const char* kBlocksFirst = "construction leaves blocks to merge, which all later passes would walk";
constexpr const char* kCopies = "first: the others see values, not copies of them";
constexpr const char* kConstants = "decided branches go, with all that the passes behind would visit";
constexpr const char* kAlgebra = "rules apply to the constants that sccp found";
constexpr const char* kDead = "removes what the passes above left unread";
constexpr const char* kCfg = "behind adce, which leaves empty blocks and jumps to jumps";

Pipeline optimise_quickly() {
  return {.name = "O1",
          .summary = "optimise, with what is cheap",
          .options = {},
          .steps = {
              {"adce", "", kAdceFirst},
              {"simplify-cfg", "", kBlocksFirst},
              {"copy-propagate", "", kCopies, kGrouped},
              {"sccp", "", kConstants, kGrouped},
              {"simplify", "", kAlgebra, kGrouped},
              {"gvn", "scope=dominator", "equal operations look equal once they are simplified", kGrouped},
              {"adce", "", kDead, kGrouped},
              {"simplify-cfg", "", kCfg, kGrouped},
          }};
}

Pipeline optimise() {
  return {
      .name = "O2",
      .summary = "optimise",
      .options = {PassOption::target()},
      .steps = {
          {"adce", "", kAdceFirst},
          {"simplify-cfg", "", kBlocksFirst},
          {"copy-propagate", "", kCopies, kGrouped},
          {"sccp", "", kConstants, kGrouped},
          {"simplify", "", kAlgebra, kGrouped},
          {"ranges", "", "behind simplify, which leaves fewer forms of compares and masks", kGrouped},
          {"simplify-predicates", "", "fewer predicates, before guards of psis are compared", kGrouped},
          {"psi-inline", "", "first of the passes for psis, which see more in one psi than in two", kGrouped},
          {"psi-reduce", "", "inlining brings arguments that are never taken", kGrouped},
          {"psi-project", "", "behind psi-reduce: a psi of few arguments is projected to one", kGrouped},
          {"psi-promote", "", "fewer guards are read, and the predicates behind them die", kGrouped},
          {"speculate", "", "guards that no psi reads can be removed from definitions, too", kGrouped},
          {"gvn", "", "behind speculate: values defined in more places replace more", kGrouped},
          {"guarded-redundancy", "", "behind gvn, which needs no other guard where one contains the other",
           kGrouped},
          {"pre", "", "behind gvn: what is redundant on all paths needs no insertion", kGrouped},
          {"dse", "", "behind gvn: loads that it replaced no longer keep stores", kGrouped},
          {"induction", "target", "loops are free of what was redundant in them", kGrouped},
          {"adce", "", kDead, kGrouped},
          {"simplify-cfg", "", kCfg, kGrouped},
          {"addresses", "target", "last: what is folded into an address is no longer seen as arithmetic",
           kGrouped},
      }};
}

// The options of if-convert that a pipeline passes on.
PassOption forwarded(std::string_view name) {
  std::vector<PassOption> options = if_convert_options();
  for (PassOption& option : options) {
    if (option.name == name) return std::move(option);
  }
  return {};
}

Pipeline compile_c() {
  return {
      .name = "psicc",
      .summary = "what psicc does to a function: selects for branches, where that pays",
      .options = {PassOption::target(), forwarded("mode"), forwarded("unmeasured"),
                  PassOption::flag("last", true,
                                   "a code generator comes next, and no passes that would undo some steps")},
      .steps = {
          {"branch-selects", "target",
           "before if-convert, which makes selects again of branches that are better so", kOnce, "last"},
          {"split-conditions", "target",
           "behind branch-selects, whose branches end loops that two conditions may end", kOnce, "last"},
          {"if-convert", "target,mode,unmeasured,size=1000,count=1000",
           "what a code generator takes for blocks and conditional moves grows with their square"},
          {"join-exclusive", "", "before guards are removed: they show what is disjoint"},
          {"psi-promote", "", "fewer guards are left for selects to choose by"},
          {"psi-lower", "shape=decisions", "the target has selects in the place of psis"},
          {"redirect", "", "last of those that look at guards: none is left behind it"},
          {"widen-phis", "", "behind the passes that look for phis of the width that was loaded", kOnce,
           "last"},
          {"copy-headers", "target", "behind if-convert: of what became selects there is no copy", kOnce,
           "last"},
      }};
}

Pipeline generate_code() {
  return {.name = "codegen",
          .summary = "from plain form to plain form that the target can execute",
          .options = {PassOption::target(), forwarded("mode")},
          .steps = {
              {"construct", "", "all that follows works in SSA form"},
              {"O2", "target", "the cost model sees only code that stays"},
              {"if-convert", "target,mode", "behind O2, which removes branches for nothing"},
              {"O2", "target", "guards and psis are new, and blocks are larger"},
              {"destruct", "target", "last, and lowers what the target lacks"},
          }};
}

}  // namespace

void add_pipelines(PassTable& table) {
  table.add(optimise_quickly());
  table.add(optimise());
  table.add(compile_c());
  table.add(generate_code());
}

}  // namespace psi
