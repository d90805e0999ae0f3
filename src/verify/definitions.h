// Where each register is defined.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verify/context.h"

namespace psi::verify {

struct Definition {
  BlockId block;
  uint32_t position = 0;  // in the layout, from 1; parameters come before all
  InstId inst;            // none for a parameter
};

class Definitions {
 public:
  explicit Definitions(Context& context);

  // Collects the definitions and reads of a block with valid records. In ssa forms reports repeated
  // definitions. The blocks must come in the order of the layout.
  void add(BlockId block);
  // Reports registers that are read but never defined.
  void check_reads();
  bool ok() const { return ok_; }

  // In ssa forms, if there was no error.
  const Definition& operator[](Reg r) const { return table_[r.index()]; }
  // All psis, in the order of the layout.
  std::span<const InstId> psis() const { return psis_; }

 private:
  Context& context_;
  const Function& function_;
  const bool ssa_;
  bool ok_ = true;
  uint32_t position_ = 0;
  std::vector<uint8_t> marks_;     // by Reg
  std::vector<Definition> table_;  // by Reg, in ssa forms
  std::vector<InstId> psis_;
};

// Calls visit(Operand) for the guard and every operand that reads a register.
template <class Visit>
void for_each_read(const Function& function, const Inst& inst, Visit visit) {
  if (inst.guard) visit(inst.guard.as_operand());
  for (Operand operand : function.operands(inst)) {
    if (operand.reads_reg()) visit(operand);
  }
}

}  // namespace psi::verify
