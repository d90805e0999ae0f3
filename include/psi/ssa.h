// Into SSA and psi-SSA form.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "psi/counters.h"
#include "psi/pass.h"
#include "psi/phi_placement.h"
#include "psi/step_times.h"

namespace psi {

// Which joins of a variable get a phi (Briggs et al. 1998).
enum class Flavour : uint8_t {
  Pruned,      // where the variable is read later
  SemiPruned,  // all joins of a variable that some block reads before it writes it
  Minimal,     // all joins
};

// How the current name of a variable is kept while blocks are renamed.
enum class NameStacks : uint8_t {
  PushOnce,   // one entry for each block that defines it
  PushEvery,  // one entry for each definition
};

struct ConstructOptions {
  // Nothing: Braun et al. 2013, which places phis while renaming. Flavour, stacks and sharing then have no
  // meaning; the result is pruned. Where that would make far more phis on the way than the function has
  // instructions it gives way to the default.
  std::optional<PlacementAlgorithm> place = PlacementAlgorithm::Auto;
  Flavour flavour = Flavour::Pruned;
  NameStacks stacks = NameStacks::PushOnce;
  bool share = false;        // compute the joins of variables with equal or included definitions together
  bool fold = true;          // replace copies by what they copy
  bool inline_psis = false;  // let a psi take the arguments of the psi before it
};

// From plain to SSA form. Where an instruction has a guard, the definition becomes
//
//     p ? x = op ...     ==>     p ? x2 = op ...
//                                x3 = psi x1, p ? x2
//
// and where paths join phis are placed. A variable read where it has no value gives undef. Unreachable blocks
// stay; each is renamed for itself. Changes no block's successors.
//
// Counts what the papers count, and the time of each step.
void construct(Function& function, Analyses& analyses, const ConstructOptions& options, Counters& counters,
               StepTimes& times);

// The same as a pass, with its options by name.
void construct(PassContext& context);
// The options, for the table of passes.
std::vector<PassOption> construct_options();

}  // namespace psi
