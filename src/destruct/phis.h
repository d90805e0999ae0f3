// Walks over the phis of a function.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "psi/function.h"

namespace psi::destruction {

// Calls visit(InstId) for each phi of the block. It may add instructions, as long as no block lists them.
template <class Visit>
void for_each_phi(const Function& function, BlockId b, Visit visit) {
  for (uint32_t i = 0; i < function.insts(b).size(); ++i) {
    InstId id = function.insts(b)[i];
    if (!function.inst(id).is_phi()) return;
    visit(id);
  }
}

// Calls visit(Reg) for each argument that is a register.
template <class Visit>
void for_each_argument(const Function& function, InstId phi, Visit visit) {
  std::span<const Operand> operands = function.operands(phi);
  for (size_t i = 1; i < operands.size(); i += 2) {
    if (operands[i].is_reg()) visit(operands[i].reg());
  }
}

// Marks the registers that phis name.
void mark_registers_of_phis(const Function& function, std::vector<uint8_t>& marked);

// Takes out the phis that nobody reads; were there any?
bool drop_dead_phis(Function& function);

}  // namespace psi::destruction
