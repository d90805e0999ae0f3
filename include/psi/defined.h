// Where registers are known not to be undef.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"

namespace psi {

// Somewhere in a block, after so many of its calls. A call may not return, and what comes after it is then
// not reached; what lies between two calls is reached together, or not at all.
struct Place {
  BlockId block;
  uint32_t calls = 0;
};

// To read an undef guard is undefined behaviour, so an instruction must not read one where the program did
// not. A register is defined where the program has undefined behaviour otherwise, because it was read in such
// a way before, and where it is computed from nothing but such registers and literals.
//
// What is known stays true when the function is refined and its instructions are moved, as long as it keeps
// its blocks and calls.
class Defined {
 public:
  // Linear.
  Defined(const Function& function, Analyses& analyses);

  // Of registers that are new to the function nothing is known.
  bool at(Reg r, Place place) const {
    return r.index() < is_solid_.size() && (is_solid_[r.index()] || is_checked(r, place));
  }

 private:
  class Solidity;

  void find_checks(const Function& function);
  bool is_checked(Reg r, Place place) const;

  const Dominators& dominators_;
  std::vector<Place> checks_;      // by Reg, blocks that dominate others first
  std::vector<uint32_t> start_;    // by Reg, and one more: in checks_
  std::vector<uint8_t> is_solid_;  // by Reg: everywhere
};

}  // namespace psi
