// For tests of other passes: makes SSA form as far from conventional as is legal. Webs interfere, guards
// differ from those of definitions, and definitions are in any order: an extreme of what optimisation leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/pass/counters.h"
#include "psi/pass/pass.h"

namespace psi {

// Each kind of change is made at random where it is legal.
struct ScrambleOptions {
  uint32_t seed = 0;
  bool fold = true;    // replace copies, and phis and psis of one value, by their sources
  bool extend = true;  // carry values around loops and through joins in phis; duplicate phis and instructions
  bool replace = true;    // read another register of the same value
  bool speculate = true;  // enlarge guards of pure definitions
  bool nest = true;       // inline and split psis; add and drop arguments that are never taken
  bool promote = true;    // enlarge guards of psi arguments, and shrink them where they are overridden
  bool permute = true;    // exchange disjoint psi arguments
  bool move = true;       // move pure instructions, also to other blocks; exchange phis
};

// SSA form. The same function and seed give the same result. Changes no block's successors. Searches try only
// a few candidates: near-linear, except that predicate queries take longer in functions with thousands of
// predicates.
void scramble_ssa(Function& function, Analyses& analyses, const ScrambleOptions& options, Counters& counters);

// The same as a pass, with its options by name.
void scramble_ssa(PassContext& context);
std::vector<PassOption> scramble_options();

}  // namespace psi
