// Predicated SSA (Carter, Simon, Calder, Carter and Ferrante 1999): an acyclic region as one block without
// phis, in which what depends on the path taken is computed once for each path, under the path's own
// predicate.
//
//     @a: br %c, @b, @c              %c  ? %x1 = add %v, 1
//     @b: %x1 = add %v, 1            !%c ? %x2 = sub %v, 1
//     @c: %x2 = sub %v, 1            %c  ? %y.1 = mul %x1, 3
//     @d: %x = phi %x1, %x2          !%c ? %y.2 = mul %x2, 3
//         %y = mul %x, 3
//
// psi-SSA has one definition of %y there, of a psi; so it is predicated SSA in which no block tells paths
// apart, and both come from one conversion here: by how many paths a block may tell apart.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/pass.h"

namespace psi {

struct PredicatedSsaOptions {
  // How many paths to a block are told apart; 1: psi-SSA. There may be exponentially many; where there are
  // more, psis merge what differs, and one path goes on.
  uint32_t max_paths = 16;
};

// What became of a region.
struct Hyperblock {
  BlockId block;         // the region's entry, which now holds it all
  uint32_t blocks = 0;   // that the region had
  uint32_t paths = 0;    // the most that were told apart in one block
  uint32_t copies = 0;   // instructions more than the region had, since paths differ
  uint32_t refused = 0;  // blocks with too many paths, where psis merge
};

// Makes each acyclic region of several blocks (psi/regions.h) one block, or only that of `only`; in the order
// of the function. SSA form. The analyses are no longer valid if there were any. Values that are read outside
// a region, and those that its exits hand to phis, are merged by psis at its end. Near-linear for a given
// number of paths.
std::vector<Hyperblock> make_hyperblocks(Function& function, Analyses& analyses,
                                         const PredicatedSsaOptions& options, Counters& counters,
                                         BlockId only = {});

// How large a block is: to compare representations.
struct BlockFigures {
  uint32_t instructions = 0;  // all, but for phis and psis
  uint32_t predicate = 0;     // of these, what computes predicates: cmp, cmpp and logic on i1
  uint32_t psis = 0;
  uint32_t psi_arguments = 0;
  uint32_t height = 0;  // as of psi/speculate.h
};
BlockFigures block_figures(const Function& function, Analyses& analyses, BlockId block);

// make_hyperblocks as a pass.
void predicated_ssa(PassContext& context);
std::vector<PassOption> predicated_ssa_options();

}  // namespace psi
