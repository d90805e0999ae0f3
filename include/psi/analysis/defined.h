// Where registers are known not to be undef.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi {

// A point in a block, given by the number of calls before it. A call may not return, so code after it may not
// be reached; the code between two calls is reached as a whole or not at all.
struct Place {
  BlockId block;
  uint32_t calls = 0;
};

// Reading an undef guard is undefined behaviour, so an instruction must not read one where the program did
// not. A register is known to be defined after a read that would otherwise be undefined behaviour, and where
// it is computed from literals and such registers alone.
//
// The facts stay true when the function is refined and its instructions are moved, as long as it keeps its
// blocks and calls.
class Defined {
 public:
  // Linear.
  Defined(const Function& function, Analyses& analyses);

  // Nothing is known about registers added later.
  bool at(Reg r, Place place) const {
    return r.index() < is_solid_.size() && (is_solid_[r.index()] || is_checked(r, place));
  }

 private:
  class Solidity;

  void find_checks(const Function& function);
  bool is_checked(Reg r, Place place) const;

  const Dominators& dominators_;
  std::vector<Place> checks_;      // by Reg, dominating blocks first
  std::vector<uint32_t> start_;    // by Reg, and one more: in checks_
  std::vector<uint8_t> is_solid_;  // by Reg: everywhere
};

}  // namespace psi
