#include "llvm/native_tuning.h"

#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include "llvm/conditional_shifts.h"
#include "llvm/conditional_stores.h"
#include "llvm/foreseen_conditions.h"
#include "llvm/foreseen_selects.h"
#include "llvm/header_copies.h"
#include "llvm/hot_loops.h"
#include "llvm/native_pass.h"
#include "llvm/wide_phis.h"
#include "llvm/x86_forms.h"

namespace psi::llvm_bridge {

bool tune_before(llvm::Function& function, const llvm::TargetTransformInfo& machine) {
  if (!is_candidate(function)) return false;
  bool is_changed = select_conditional_shifts(function, machine);
  is_changed = weigh_conditional_stores(function) || is_changed;
  is_changed = branch_on_foreseen(function) || is_changed;
  return part_foreseen_conditions(function) || is_changed;
}

bool tune_after(llvm::Function& function) {
  if (!is_candidate(function)) return false;
  bool is_changed = widen_loaded_phis(function);
  is_changed = copy_short_headers(function) || is_changed;
  is_changed = align_hot_loops(function) || is_changed;
  bool is_x86 = llvm::Triple(function.getParent()->getTargetTriple()).getArch() == llvm::Triple::x86_64;
  return (is_x86 && prefer_lea(function)) || is_changed;
}

}  // namespace psi::llvm_bridge
