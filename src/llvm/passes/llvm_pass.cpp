#include "llvm/passes/llvm_pass.h"

#include <fmt/format.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "llvm/bridge/in_place.h"
#include "llvm/bridge/stack_guard.h"
#include "llvm/passes/x86_forms.h"
#include "llvm/profile/predictability.h"
#include "psi/pipeline/pipeline.h"
#include "psi/verify/verify.h"

namespace psi::llvm_bridge {
namespace {

bool only_move(const PassList& passes) {
  return std::ranges::all_of(passes, [](const PassCall& call) { return call.pass->only_moves; });
}

bool decides(const PassList& passes, std::string_view name) {
  return std::ranges::any_of(
      passes, [&](const PassCall& call) { return call.pass->decides && call.pass->name == name; });
}

// Runs it; the result is the problem, or empty. After a crash, memory in use is leaked.
std::string run_guarded(llvm::function_ref<void()> work, bool& has_crashed) {
  std::string problem;
  llvm::CrashRecoveryContext recovery;
  bool is_finished = recovery.RunSafely([&] {
    try {
      work();
    } catch (const std::exception& exception) {
      problem = fmt::format("an exception: {}", exception.what());
    } catch (...) {
      problem = "an exception";
    }
  });
  if (is_finished) return problem;
  has_crashed = true;
  // As in shells: 128 plus the number of the signal.
  return recovery.RetCode > 128 ? fmt::format("a crash (signal {})", recovery.RetCode - 128) : "a crash";
}

// Selects that LLVM made itself, whose condition is unpredictable: its code generator must not make
// branches of them. A profile tells which they are; without one, all are if `unpredictable` says so. Where it
// was measured, the unpredictable ones have been marked then.
bool keep_selects(llvm::Function& function, bool unpredictable) {
  bool is_changed = false;
  bool is_marked = has_predictability(function);
  for (llvm::Instruction& inst : llvm::instructions(function)) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&inst);
    if (!select || select->hasMetadata(llvm::LLVMContext::MD_unpredictable)) continue;
    // The code generator turns a branch on two conditions into two jumps, unless the weights of the joining
    // select make it a branch first.
    bool is_logic = llvm::PatternMatch::match(select, llvm::PatternMatch::m_LogicalAnd()) ||
                    llvm::PatternMatch::match(select, llvm::PatternMatch::m_LogicalOr());
    if (is_logic && select->hasMetadata(llvm::LLVMContext::MD_prof)) {
      select->setMetadata(llvm::LLVMContext::MD_prof, nullptr);
      is_changed = true;
      continue;
    }
    std::optional<double> rarer = rarer_probability(*select);
    if (rarer ? is_marked || !is_unpredictable(*rarer) : !unpredictable) continue;
    select->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(function.getContext(), {}));
    is_changed = true;
  }
  return is_changed;
}

class LlvmPassAdapter {
 public:
  LlvmPassAdapter(llvm::Module& module, const LlvmPassOptions& options)
      : source_(module), options_(options) {}

  bool run() {
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : source_) {
      if (is_candidate(function)) functions.push_back(&function);
    }
    if (functions.empty()) return false;
    llvm::CrashRecoveryContext::Enable();
    StackGuard stack_guard;
    bool changed = false;
    bool is_x86 = llvm::Triple(source_.getTargetTriple()).getArch() == llvm::Triple::x86_64;
    for (llvm::Function* function : functions) {
      changed = (is_x86 && options_.unpredictable && expand_minima_and_maxima(*function)) || changed;
      changed = run(*function) || changed;
      changed = keep_selects(*function, options_.unpredictable) || changed;
    }
    return changed;
  }

 private:
  // Steps that may crash own nothing that needs cleaning up, except the module in `bridge_`.
  bool run(llvm::Function& function) {
    if (!bridge_) {
      std::string problem = guarded([&] { bridge_ = std::make_unique<InPlaceModule>(source_); });
      if (!problem.empty()) return fail(function, problem, "its module is imported");
      bridge_->trust_origins(only_move(options_.passes));
    }
    std::string reason;
    std::string problem = guarded([&] {
      crash_if_asked(function, "import");
      reason = bridge_->import(function);
    });
    if (!problem.empty()) return fail(function, problem, "it is imported");
    if (!reason.empty()) return leave(function, reason);

    std::optional<PipelineResult> result;
    bool is_changed = false;
    Result<void> verified;
    problem = guarded([&] {
      crash_if_asked(function, "passes");
      result = run_on_function();
      is_changed = options_.export_all || bridge_->is_changed();
      if (is_changed) verified = verifies(bridge_->module(), bridge_->function());
    });
    if (!problem.empty()) return fail(function, problem, "it goes through passes");
    if (!*result) return fail(function, result->diagnostics().first_error(), {});
    if (options_.remarks) report(function, (*result)->remarks);
    if (!is_changed) return false;
    if (!verified) {
      return fail(function, "its result does not verify: " + verified.diagnostics().first_error(), {});
    }

    problem = guarded([&] { reason = bridge_->write_back([&] { crash_if_asked(function, "export"); }); });
    if (!problem.empty()) return fail(function, problem, "it is written back");
    if (!reason.empty()) return fail(function, reason, {});
    return true;
  }

  std::string guarded(llvm::function_ref<void()> work) { return run_guarded(work, has_crashed_); }

  PipelineResult run_on_function() {
    PipelineOptions options;
    options.remarks = options_.remarks;
    return run_passes(bridge_->module(), bridge_->function(), options_.passes, options);
  }

  void crash_if_asked(const llvm::Function& function, std::string_view step) {
    if (options_.crash_in.empty() || options_.crash_while != step) return;
    if (function.getName() != options_.crash_in) return;
    if (options_.crash_by_overflow) exhaust_stack();
    std::abort();
  }

  void report(const llvm::Function& function, const Remarks& remarks) {
    for (const Remark& remark : remarks.all()) {
      if (options_.of_deciding && !decides(options_.passes, remark.pass)) continue;
      const llvm::Instruction* origin = bridge_->origin(remark.origin);
      LlvmPassMessage::Kind kind =
          remark.kind == Remark::Kind::Done ? LlvmPassMessage::Kind::Done : LlvmPassMessage::Kind::Refused;
      options_.report({kind, &function, origin ? origin->getDebugLoc() : llvm::DebugLoc(),
                       fmt::format("{}: {}: {}", remark.pass, remark.subject, remark.message)});
    }
  }

  bool leave(const llvm::Function& function, const std::string& reason) {
    if (options_.remarks) {
      options_.report({LlvmPassMessage::Kind::Left, &function, {}, fmt::format("left as it is: {}", reason)});
    }
    return false;
  }

  bool fail(const llvm::Function& function, std::string_view problem, std::string_view during) {
    if (bridge_) bridge_->recover();
    std::string when = during.empty() ? "" : fmt::format(" while {}", during);
    options_.report({LlvmPassMessage::Kind::Failed, &function, {}, fmt::format("{}{}", problem, when)});
    // An interrupted module is not reused: the next function gets a new one. After a crash it cannot even be
    // destroyed.
    if (has_crashed_) static_cast<void>(bridge_.release());
    if (!during.empty()) bridge_.reset();
    has_crashed_ = false;
    return false;
  }

  llvm::Module& source_;
  const LlvmPassOptions& options_;
  std::unique_ptr<InPlaceModule> bridge_;
  bool has_crashed_ = false;
};

}  // namespace

bool is_candidate(const llvm::Function& function) {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || function.hasOptNone() ||
      function.isPresplitCoroutine()) {
    return false;
  }
  // Speculated accesses would trigger these checkers.
  for (llvm::Attribute::AttrKind kind :
       {llvm::Attribute::SanitizeAddress, llvm::Attribute::SanitizeHWAddress, llvm::Attribute::SanitizeMemory,
        llvm::Attribute::SanitizeThread, llvm::Attribute::SanitizeMemTag}) {
    if (function.hasFnAttribute(kind)) return false;
  }
  bool decides = std::ranges::any_of(
      function, [](const llvm::BasicBlock& block) { return block.getTerminator()->getNumSuccessors() > 1; });
  return decides && !function.callsFunctionThatReturnsTwice();
}

std::string target_name_for(const llvm::Module& module) {
  switch (llvm::Triple(module.getTargetTriple()).getArch()) {
    case llvm::Triple::x86_64:
      return "x86-64";
    case llvm::Triple::aarch64:
      return "aarch64";
    default:
      return "select";
  }
}

bool run_llvm_pass(llvm::Module& module, const LlvmPassOptions& options) {
  return LlvmPassAdapter(module, options).run();
}

}  // namespace psi::llvm_bridge
