#include "llvm/native_tuning.h"

#include "llvm/foreseen_conditions.h"
#include "llvm/foreseen_selects.h"
#include "llvm/header_copies.h"
#include "llvm/native_pass.h"

namespace psi::llvm_bridge {

bool tune_before(llvm::Function& function) {
  if (!is_candidate(function)) return false;
  bool is_changed = branch_on_foreseen(function);
  return part_foreseen_conditions(function) || is_changed;
}

bool tune_after(llvm::Function& function) {
  if (!is_candidate(function)) return false;
  return copy_short_headers(function);
}

}  // namespace psi::llvm_bridge
