// Predicated SSA (Carter, Simon, Calder, Carter and Ferrante 1999): an acyclic region as one block without
// phis, in which values that depend on the path are computed once for each path, under the path's predicate.
//
//     @a: br %c, @b, @c              %c  ? %x1 = add %v, 1
//     @b: %x1 = add %v, 1            !%c ? %x2 = sub %v, 1
//     @c: %x2 = sub %v, 1            %c  ? %y.1 = mul %x1, 3
//     @d: %x = phi %x1, %x2          !%c ? %y.2 = mul %x2, 3
//         %y = mul %x, 3
//
// psi-SSA has one definition of %y there, from a psi: it is predicated SSA in which no block distinguishes
// paths. One conversion makes both, by the number of paths that a block may distinguish.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/pass/pass.h"

namespace psi {

struct PredicatedSsaOptions {
  // The most paths to a block that are distinguished; 1: psi-SSA. There may be exponentially many; beyond the
  // limit psis merge the values, and one path continues.
  uint32_t max_paths = 16;
};

// The result for a region.
struct Hyperblock {
  BlockId block;         // the region's entry, now its only block
  uint32_t blocks = 0;   // that the region had
  uint32_t paths = 0;    // the most distinguished in one block
  uint32_t copies = 0;   // additional instructions, since paths differ
  uint32_t refused = 0;  // blocks with too many paths, where psis merge
};

// Converts each acyclic region of several blocks (psi/analysis/regions.h) to one block, or only that of
// `only`, in the order of the function. SSA form. The analyses are no longer valid if there were any. Psis at
// the end of a region merge values that are live out or arguments of phis outside. Near-linear for a given
// number of paths.
std::vector<Hyperblock> make_hyperblocks(Function& function, Analyses& analyses,
                                         const PredicatedSsaOptions& options, Counters& counters,
                                         BlockId only = {});

// The size of a block, to compare representations.
struct BlockStatistics {
  uint32_t instructions = 0;  // all, but for phis and psis
  uint32_t predicate = 0;     // those that compute predicates: cmp, cmpp and logic on i1
  uint32_t psis = 0;
  uint32_t psi_arguments = 0;
  uint32_t height = 0;  // as of psi/psi_transforms/speculate.h
};
BlockStatistics block_statistics(const Function& function, Analyses& analyses, BlockId block);

// make_hyperblocks as a pass.
void predicated_ssa(PassContext& context);
std::vector<PassOption> predicated_ssa_options();

}  // namespace psi
