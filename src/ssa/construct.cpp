// Construction of SSA and psi-SSA form.
//
//     @a: br %p, @b, @c                  @a: br %p, @b, @c
//     @b: %q ? %x = add.i32 %y, 1        @b: %q ? %x.2 = add.i32 %y, 1
//         br @c                   ==>        %x.3 = psi %x.1, %q ? %x.2
//     @c: ret %x                             br @c
//                                        @c: %x.4 = phi [@a: %x.1], [@b: %x.3]
//                                            ret %x.4
//
// Cytron et al. 1991 in steps: which blocks define and read which variables, where phis go (a choice of
// algorithms, phi_placement.h), which of them are live (Briggs et al. 1998 and Choi et al. 1991), new names
// for all definitions. Guards follow Stoutchinin and de Ferriere 2001: a guarded definition is followed by a
// psi that merges it with the value from before (translate.h). Or, in one step, Braun et al. 2013
// (braun.cpp).
//
// Requires plain form. Ensures SSA form, with the same blocks and edges.

#include "psi/ssa/construct.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "ssa/phi_sites.h"
#include "ssa/rename.h"
#include "ssa/translate.h"
#include "ssa/variables.h"
#include "support/scratch.h"

namespace psi {
namespace {

void construct_in_steps(Function& function, Analyses& analyses, const ConstructOptions& options,
                        Counters& counters, StepTimes& times) {
  StepClock clock(times);
  Scratch scratch;
  const Cfg& cfg = analyses.get<Cfg>();
  const Dominators& dominators = analyses.get<Dominators>();
  clock.end("graph");

  // Variables local to a block can only have dead phis.
  auto which = options.flavour == Flavour::Minimal ? ssa::Variables::All : ssa::Variables::NonLocal;
  ssa::Variables variables(function, dominators, which, scratch);
  clock.end("variables");

  ssa::Placement placement = ssa::place_phis(variables, analyses, options, scratch, counters);
  clock.end("placement");

  ssa::ArgumentSlots slots(cfg, scratch);
  ssa::SiteList& sites = placement.joins;
  if (options.flavour == Flavour::Pruned) {
    uint64_t placed = sites.size();
    ssa::prune(sites, variables, cfg, dominators, slots);
    counters.add("phis pruned", placed - sites.size());
    sites.insert(sites.end(), placement.live.begin(), placement.live.end());
    clock.end("pruning");
  }

  ssa::PhiSites by_block(cfg.num_blocks(), sites, scratch);
  ssa::rename(function, analyses, options, variables, by_block, slots, scratch, counters);
  clock.end("renaming");
}

}  // namespace

void construct(Function& function, Analyses& analyses, const ConstructOptions& options, Counters& counters,
               StepTimes& times) {
  StepClock clock(times);
  bool done = false;
  if (!options.place) {
    done = ssa::construct_on_the_fly(function, analyses, options, counters);
    counters.add("given up on the fly", done ? 0 : 1);
    clock.end("on the fly");
  }
  if (!done) {
    ConstructOptions in_steps = options;
    if (!options.place) in_steps.place = ConstructOptions().place;
    construct_in_steps(function, analyses, in_steps, counters, times);
  }
  clock = StepClock(times);
  function.compact(Function::Spare::Keep);
  function.form = Form::Ssa;
  analyses.drop(Keeps::ControlFlow);
  clock.end("compaction");
}

// --- As a pass ----------------------------------------------------------------------------------------

void construct(PassContext& context) {
  const PassArguments& arguments = context.arguments;
  ConstructOptions options;
  options.place = placement_from_name(arguments.word("place"));  // none: braun
  options.flavour = arguments.word("flavour") == "minimal"       ? Flavour::Minimal
                    : arguments.word("flavour") == "semi-pruned" ? Flavour::SemiPruned
                                                                 : Flavour::Pruned;
  options.stacks = arguments.word("stacks") == "push-every" ? NameStacks::PushEvery : NameStacks::PushOnce;
  options.share = arguments.flag("share");
  options.fold = arguments.flag("fold");
  options.inline_psis = arguments.flag("psi-inline");
  construct(context.function, context.analyses, options, context.counters, context.times);
}

std::vector<PassOption> construct_options() {
  return {
      PassOption::word("flavour", {"pruned", "semi-pruned", "minimal"}, "which joins get a phi"),
      PassOption::word("place", {"auto", "adt", "dj-graph", "cytron", "cytron-ferrante", "braun"},
                       "how the joins are found"),
      PassOption::word("stacks", {"push-once", "push-every"}, "how current names are kept"),
      PassOption::flag("fold", true, "replace copies by what they copy"),
      PassOption::flag("share", false, "find the joins of variables with equal definitions together"),
      PassOption::flag("psi-inline", false, "inline the previous psi of a variable into the next"),
  };
}

}  // namespace psi
