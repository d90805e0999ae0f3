// What if-conversion can do with an instruction, on a target.
#pragma once

#include <cstdint>
#include <string>

#include "psi/analysis/cfg.h"
#include "psi/analysis/defined.h"
#include "psi/pass/analyses.h"
#include "psi/target/target.h"

namespace psi::predication {

enum class Choice : uint8_t {
  Guard,      // it is executed under its block's predicate
  Speculate,  // it is executed unconditionally: the target cannot guard it, and it is safe
  Merge,      // phis and psis: their arguments have guards
  Refuse,
};

// Blocks that end in `unreachable`. Their branch proves that control does not reach them; without it, a psi
// of guarded definitions might no longer be provably consistent.
enum class UnreachableEnds : uint8_t {
  Stay,
  Join,  // allowed if allowed if there were no guards and no psis before
};

class Legality {
 public:
  Legality(const Function& function, Analyses& analyses, const Target& target,
           UnreachableEnds unreachable_ends)
      : function_(function),
        cfg_(analyses.get<Cfg>()),
        target_(target),
        unreachable_ends_(unreachable_ends),
        defined_(function, analyses) {}

  Choice choice(InstId id) const;
  // The first instruction of the block that prevents its conversion; none if there is none. Of a region's
  // entry only the terminators count.
  InstId obstacle(BlockId b) const;
  bool ends_well(BlockId b) const;
  // Why, in words.
  std::string reason(InstId obstacle) const;

 private:
  const Function& function_;
  const Cfg& cfg_;
  const Target& target_;
  UnreachableEnds unreachable_ends_;
  Defined defined_;
};

}  // namespace psi::predication
