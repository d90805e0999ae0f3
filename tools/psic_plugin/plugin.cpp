// psic as a plugin of clang 19 and opt 19: the pass `psi`, which runs psic's passes on the functions of a
// module. The plugin adds it to the pipelines of -O1 and above.
//
//     clang-19 -O2 -fpass-plugin=psic_plugin.so a.c
//     clang-19 -O2 -fplugin=psic_plugin.so -fpass-plugin=psic_plugin.so -mllvm -psi-at=early a.c
//     opt-19 -load-pass-plugin=psic_plugin.so -passes=psi a.bc
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LLVMRemarkStreamer.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

#include "llvm/passes/code_generator_tuning.h"
#include "llvm/passes/conditional_stores.h"
#include "llvm/passes/llvm_pass.h"
#include "llvm/passes/scalar_loops.h"
#include "llvm/profile/predictability.h"
#include "psi/pipeline/pipeline.h"
#include "psi/support/suggestion.h"
#include "psi/target/target.h"
#include "psi/version.h"

namespace {

using psi::llvm_bridge::LlvmPassMessage;
using psi::llvm_bridge::LlvmPassOptions;

enum class At { Late, Early };
enum class Mode { Cost, All };

llvm::cl::OptionCategory category("psic");
llvm::cl::opt<At> at("psi-at", llvm::cl::desc("where psic's passes run"), llvm::cl::cat(category),
                     llvm::cl::values(clEnumValN(At::Late, "late", "after vectorisation (the default)"),
                                      clEnumValN(At::Early, "early", "before it")));
llvm::cl::opt<Mode> mode("psi-mode", llvm::cl::desc("which branches psic converts"), llvm::cl::cat(category),
                         llvm::cl::values(clEnumValN(Mode::Cost, "cost", "those where it pays (the default)"),
                                          clEnumValN(Mode::All, "all", "those where it is right")));
llvm::cl::opt<std::string> passes("psi-passes", llvm::cl::desc("psic's passes, in place of the usual ones"),
                                  llvm::cl::value_desc("list"), llvm::cl::cat(category));
llvm::cl::opt<std::string> psi_target("psi-target",
                                      llvm::cl::desc("psic's target, instead of the one compiled for"),
                                      llvm::cl::value_desc("name"), llvm::cl::cat(category));
llvm::cl::opt<bool> unpredictable("psi-unpredictable",
                                  llvm::cl::desc("branches without a profile are hard to predict"),
                                  llvm::cl::cat(category));
llvm::cl::opt<std::string> remarks_file("psi-remarks",
                                        llvm::cl::desc("append what was done, and what was not, to a file"),
                                        llvm::cl::value_desc("file"), llvm::cl::cat(category));
llvm::cl::opt<bool> profile_generate("psi-profile-generate",
                                     llvm::cl::desc("measure how well branches are predicted, beside clang's "
                                                    "-fprofile-generate; psic's passes do not run"),
                                     llvm::cl::cat(category));
llvm::cl::opt<std::string> profile("psi-profile",
                                   llvm::cl::desc("what was measured, beside clang's -fprofile-use"),
                                   llvm::cl::value_desc("file"), llvm::cl::cat(category));
llvm::cl::opt<bool> export_all("psi-export-all",
                               llvm::cl::desc("write back functions that were not changed, for tests"),
                               llvm::cl::Hidden, llvm::cl::cat(category));
llvm::cl::opt<std::string> crash_in("psi-crash-in", llvm::cl::desc("crash in this function, for tests"),
                                    llvm::cl::value_desc("name[:tuning|import|passes|export[:overflow]]"),
                                    llvm::cl::Hidden, llvm::cl::cat(category));

constexpr const char* kPass = "psi";

class PsiPass : public llvm::PassInfoMixin<PsiPass> {
 public:
  explicit PsiPass(std::optional<Mode> chosen = {}) : mode_(chosen) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    LlvmPassOptions options;
    if (!choose_passes(module, options)) return llvm::PreservedAnalyses::all();
    options.unpredictable = unpredictable;
    options.export_all = export_all;
    options.remarks = !remarks_file.empty() || wants_remarks(module.getContext());
    std::string text;
    options.report = [&](const LlvmPassMessage& message) { report(module, message, text); };
    auto [function, rest] = llvm::StringRef(crash_in).split(':');
    auto [step, how] = rest.split(':');
    options.crash_in = function.str();
    options.crash_while = step.empty() ? "passes" : step.str();
    options.crash_by_overflow = how == "overflow";
    // Early, the passes that follow would undo it.
    bool tunes = at == At::Late;
    bool is_changed = tunes && tune_before(module, analyses);
    is_changed = psi::llvm_bridge::run_llvm_pass(module, options) || is_changed;
    if (tunes) is_changed = tune_after(module) || is_changed;
    if (!text.empty()) write_remarks(module.getContext(), text);
    return is_changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

 private:
  bool choose_passes(const llvm::Module& module, LlvmPassOptions& options) {
    std::string target =
        psi_target.empty() ? psi::llvm_bridge::target_name_for(module) : psi_target.getValue();
    if (passes.empty() && !psi::find_target(target)) {
      std::vector<std::string_view> known = psi::TargetTable::builtin().names();
      module.getContext().emitError("psi: there is no target '" + target + "'" +
                                    psi::suggestion(target, known) + "; 'psic targets' lists them");
      return false;
    }
    bool is_all = mode_.value_or(mode) == Mode::All;
    options.of_deciding = passes.empty();
    std::string list = passes;
    if (list.empty()) {
      list = "psicc(target=" + target + ",mode=" + (is_all ? "all" : "cost") +
             ",unmeasured=" + (unpredictable ? "unpredictable" : "guessed") +
             ",last=" + (at == At::Late ? "on" : "off") + ")";
    }
    psi::Result<psi::PassList> parsed = psi::parse_passes(psi::PassTable::builtin(), list);
    if (parsed) {
      options.passes = std::move(*parsed);
      return true;
    }
    module.getContext().emitError("psi: in the list of passes '" + list +
                                  "': " + parsed.diagnostics().first_error());
    return false;
  }

  static bool tune_before(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    bool is_changed = false;
    for (llvm::Function& function : module) {
      if (function.isDeclaration()) continue;
      if (crash_in == (function.getName() + ":tuning").str()) std::abort();
      const auto& costs = functions.getResult<llvm::TargetIRAnalysis>(function);
      is_changed = psi::llvm_bridge::tune_before(function, costs) || is_changed;
    }
    return is_changed;
  }

  static bool tune_after(llvm::Module& module) {
    bool is_changed = false;
    for (llvm::Function& function : module) {
      is_changed = psi::llvm_bridge::tune_after(function) || is_changed;
    }
    return is_changed;
  }

  static bool wants_remarks(llvm::LLVMContext& context) {
    return context.getLLVMRemarkStreamer() || context.getDiagHandlerPtr()->isPassedOptRemarkEnabled(kPass) ||
           context.getDiagHandlerPtr()->isMissedOptRemarkEnabled(kPass);
  }

  static void report(const llvm::Module& module, const LlvmPassMessage& message, std::string& text) {
    const llvm::Function& function = *message.function;
    if (message.kind == LlvmPassMessage::Kind::Failed) {
      // Not a diagnostic of the compiler, which -Werror would make an error.
      llvm::errs() << module.getSourceFileName() << ": warning: psic could not transform '"
                   << function.getName() << "' and left it as it was: " << message.text << "\n";
      return;
    }
    if (!remarks_file.empty()) {
      llvm::raw_string_ostream line(text);
      line << (message.where ? message.where->getFilename() : module.getSourceFileName());
      if (message.where) line << ':' << message.where.getLine() << ':' << message.where.getCol();
      line << ": " << function.getName() << ": " << message.text << '\n';
    }
    llvm::LLVMContext& context = function.getContext();
    if (!wants_remarks(context)) return;
    llvm::DiagnosticLocation where(message.where);
    const llvm::BasicBlock* block = &function.getEntryBlock();
    if (message.kind == LlvmPassMessage::Kind::Done) {
      context.diagnose(llvm::OptimizationRemark(kPass, "Done", where, block) << message.text);
    } else {
      context.diagnose(llvm::OptimizationRemarkMissed(kPass, "Kept", where, block) << message.text);
    }
  }

  static void write_remarks(llvm::LLVMContext& context, llvm::StringRef text) {
    std::error_code code;
    // In one piece, as several compilers may write at a time.
    llvm::raw_fd_ostream out(remarks_file, code, llvm::sys::fs::OF_Append | llvm::sys::fs::OF_Text);
    out.SetBufferSize(text.size());
    if (!code) {
      out << text;
      out.flush();
      code = out.error();
      // It would end the compiler.
      out.clear_error();
    }
    if (code) context.emitError("psi: cannot write '" + remarks_file + "': " + code.message());
  }

  std::optional<Mode> mode_;
};

// Excludes loops from vectorisation that psic handles better.
class ScalarLoopsPass : public llvm::PassInfoMixin<ScalarLoopsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (function.hasProfileData()) {
      psi::llvm_bridge::note_conditional_stores(loops,
                                                analyses.getResult<llvm::BlockFrequencyAnalysis>(function));
    }
    psi::llvm_bridge::keep_loops_scalar(loops, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                                        analyses.getResult<llvm::TargetIRAnalysis>(function), unpredictable);
    return llvm::PreservedAnalyses::all();
  }
};

void mark_predictability(llvm::Module& module) {
  auto reader = llvm::IndexedInstrProfReader::create(profile, *llvm::vfs::getRealFileSystem());
  if (!reader) {
    module.getContext().emitError("psi: cannot read the profile '" + profile +
                                  "': " + llvm::toString(reader.takeError()));
    return;
  }
  psi::llvm_bridge::mark_predictability(module, **reader);
}

// The branches of a measuring program must equal those at the use of its profile. They do right after LLVM's
// own instrumentation; its pipelines have no extension point there, but callbacks after each pass.
void after_pass(llvm::StringRef pass, llvm::Any ir, const llvm::PreservedAnalyses&) {
  const auto* module = llvm::any_cast<const llvm::Module*>(&ir);
  if (!module) return;
  // It is the module that the pass manager was given to change.
  auto& changing = const_cast<llvm::Module&>(**module);
  if (profile_generate && pass == "PGOInstrumentationGen") {
    psi::llvm_bridge::measure_predictability(changing);
  } else if (!profile.empty() && pass == "PGOInstrumentationUse") {
    mark_predictability(changing);
  }
}

bool runs(llvm::OptimizationLevel level) { return level != llvm::OptimizationLevel::O0 && !profile_generate; }

void add_at(At place, llvm::ModulePassManager& manager, llvm::OptimizationLevel level) {
  if (at == place && runs(level)) manager.addPass(PsiPass());
}

// `psi`, `psi<cost>` and `psi<all>`.
bool parse_name(llvm::StringRef name, llvm::ModulePassManager& manager,
                llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  if (name == "psi") {
    manager.addPass(PsiPass());
  } else if (name == "psi<cost>") {
    manager.addPass(PsiPass(Mode::Cost));
  } else if (name == "psi<all>") {
    manager.addPass(PsiPass(Mode::All));
  } else {
    return false;
  }
  return true;
}

void add_to(llvm::PassBuilder& builder) {
  builder.registerPipelineParsingCallback(parse_name);
  if (llvm::PassInstrumentationCallbacks* callbacks = builder.getPassInstrumentationCallbacks()) {
    callbacks->registerAfterPassCallback(after_pass);
  }
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel level) {
        add_at(At::Early, manager, level);
      });
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& manager, llvm::OptimizationLevel level) {
        if (at == At::Late && passes.empty() && runs(level)) manager.addPass(ScalarLoopsPass());
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel level) {
        add_at(At::Late, manager, level);
      });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "psic", psi::kVersion.data(), add_to};
}
