// What can be done with an instruction whose block loses its branch, on a machine.
#pragma once

#include <cstdint>
#include <string>

#include "psi/analyses.h"
#include "psi/defined.h"
#include "psi/target.h"

namespace psi::if_conversion {

enum class Way : uint8_t {
  Guard,      // it is executed under its block's predicate
  Speculate,  // it is executed always: the machine cannot guard it, and it does no harm
  Merge,      // phis and psis: their arguments have guards
  Refuse,
};

// Blocks that end in `unreachable`. That control does not come to one is known where its branch is; with the
// branch gone, a psi that takes what is defined under a guard might not be known to be right.
enum class DeadEnds : uint8_t {
  Stay,
  Join,  // there were no guards and no psis before
};

class Legality {
 public:
  Legality(const Function& function, Analyses& analyses, const Target& target, DeadEnds dead_ends)
      : function_(function),
        cfg_(analyses.cfg()),
        target_(target),
        dead_ends_(dead_ends),
        defined_(function, analyses) {}

  Way way(InstId id) const;
  // The first instruction of the block that keeps it from losing its branch; none if there is no such one.
  // What the region's entry does is of no interest, but for its terminators.
  InstId obstacle(BlockId b) const;
  bool ends_well(BlockId b) const;
  // Why, in words.
  std::string reason(InstId obstacle) const;

 private:
  const Function& function_;
  const Cfg& cfg_;
  const Target& target_;
  DeadEnds dead_ends_;
  Defined defined_;
};

}  // namespace psi::if_conversion
