#include "llvm/passes/code_generator_tuning.h"

#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include "llvm/passes/conditional_shifts.h"
#include "llvm/passes/conditional_stores.h"
#include "llvm/passes/hot_loops.h"
#include "llvm/passes/llvm_pass.h"
#include "llvm/passes/x86_forms.h"

namespace psi::llvm_bridge {

bool tune_before(llvm::Function& function, const llvm::TargetTransformInfo& costs) {
  if (!is_candidate(function)) return false;
  bool is_changed = select_conditional_shifts(function, costs);
  return weigh_conditional_stores(function) || is_changed;
}

bool tune_after(llvm::Function& function) {
  if (!is_candidate(function)) return false;
  bool is_changed = align_hot_loops(function);
  bool is_x86 = llvm::Triple(function.getParent()->getTargetTriple()).getArch() == llvm::Triple::x86_64;
  return (is_x86 && prefer_lea(function)) || is_changed;
}

}  // namespace psi::llvm_bridge
