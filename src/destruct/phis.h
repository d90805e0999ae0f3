// Walks over the phis of a function.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "psi/ir/function.h"
#include "psi/ir/views.h"

namespace psi::destruct {

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
  for (PhiEntry entry : phi_entries(function, phi)) {
    if (entry.value.is_reg()) visit(entry.value.reg());
  }
}

// Marks the registers that phis name.
void mark_registers_of_phis(const Function& function, std::vector<uint8_t>& marked);

// Removes unread phis; were there any?
bool drop_dead_phis(Function& function);

}  // namespace psi::destruct
