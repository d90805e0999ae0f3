// Global value numbering: redundant computations are replaced by earlier ones.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"
#include "psi/pass/pass.h"

namespace psi {

// Classes of equal registers of a function in SSA form, undef included, without regard to memory. Registers
// that change in step around loops are equal.
class ValueNumbering {
 public:
  // All blocks must be reachable. Linear in the function for each iteration over it, of which there are few;
  // beyond a bound each register gets its own number.
  ValueNumbering(const Function& function, Analyses& analyses);

  // Registers of one number are equal. The number is one of them, or, for constants, a literal, symbol or
  // undef.
  Operand number(Reg r) const { return number_[r.index()]; }
  // Does another register have its number?
  bool is_shared(Reg r) const { return is_shared_[r.index()]; }
  uint32_t num_iterations() const { return num_iterations_; }

 private:
  std::vector<Operand> number_;  // by Reg
  std::vector<uint8_t> is_shared_;
  uint32_t num_iterations_ = 0;
};

std::vector<PassOption> gvn_options();
void gvn(PassContext& context);

}  // namespace psi
