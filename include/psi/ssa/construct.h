// Into SSA and psi-SSA form.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "psi/pass/counters.h"
#include "psi/pass/pass.h"
#include "psi/pass/step_times.h"
#include "psi/ssa/phi_placement.h"

namespace psi {

// Which joins of a variable get a phi (Briggs et al. 1998).
enum class Flavour : uint8_t {
  Pruned,      // where the variable is read later
  SemiPruned,  // all joins of a variable that some block reads before it writes it
  Minimal,     // all joins
};

// The stack discipline for current names during renaming.
enum class NameStacks : uint8_t {
  PushOnce,   // one entry for each block that defines it
  PushEvery,  // one entry for each definition
};

struct ConstructOptions {
  // Nothing: Braun et al. 2013, which places phis during renaming and ignores flavour, stacks and sharing;
  // the result is pruned. Where it would make far more temporary phis than the function has instructions, the
  // default takes over.
  std::optional<PlacementAlgorithm> place = PlacementAlgorithm::Auto;
  Flavour flavour = Flavour::Pruned;
  NameStacks stacks = NameStacks::PushOnce;
  bool share = false;        // share the joins of variables with equal or included sets of definitions
  bool fold = true;          // replace copies by their sources
  bool inline_psis = false;  // inline the previous psi of a variable into the next
};

// From plain to SSA form. Where an instruction has a guard, the definition becomes
//
//     p ? x = op ...     ==>     p ? x2 = op ...
//                                x3 = psi x1, p ? x2
//
// and phis are placed where paths join. A variable read where it has no value gives undef. Unreachable blocks
// stay; each is renamed on its own. Changes no block's successors.
//
// Has the counters of the papers, and the time of each step.
void construct(Function& function, Analyses& analyses, const ConstructOptions& options, Counters& counters,
               StepTimes& times);

// The same as a pass, with its options by name.
void construct(PassContext& context);
// The options, for the table of passes.
std::vector<PassOption> construct_options();

}  // namespace psi
