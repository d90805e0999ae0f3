// Value numbering: computations that were done before are not done again.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analyses.h"
#include "psi/function.h"
#include "psi/pass.h"

namespace psi {

// Which registers of a function in SSA form are equal, undef where the other is, found without regard to
// memory. What goes around loops in step is equal.
class ValueNumbering {
 public:
  // All blocks must be reachable. Linear in the function for each round through it, of which there are few;
  // with more than a bound of them each register has a number of its own.
  ValueNumbering(const Function& function, Analyses& analyses);

  // Registers of one number are equal. It is one of them, or, for constants, a literal, symbol or undef.
  Operand number(Reg r) const { return number_[r.index()]; }
  // Does another register have its number?
  bool is_shared(Reg r) const { return is_shared_[r.index()]; }
  uint32_t num_rounds() const { return num_rounds_; }

 private:
  std::vector<Operand> number_;  // by Reg
  std::vector<uint8_t> is_shared_;
  uint32_t num_rounds_ = 0;
};

std::vector<PassOption> gvn_options();
void gvn(PassContext& context);

}  // namespace psi
