#include "llvm_optimise.h"

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <cstdlib>

#include "cpu_time.h"

namespace psi::bench {
namespace {

void run(llvm::Module& module, std::string_view passes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = builder.parsePassPipeline(manager, llvm::StringRef(passes.data(), passes.size()))) {
    fmt::print(stderr, "{}\n", llvm::toString(std::move(error)));
    std::exit(1);
  }
  manager.run(module, modules);
}

}  // namespace

Optimised llvm_optimise(const std::string& contents, std::string_view passes,
                        const std::vector<std::string>& without, int repeat) {
  Optimised result;
  for (int i = 0; i < repeat; ++i) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module =
        llvm::parseIR(llvm::MemoryBufferRef(contents, "input"), diagnostic, context);
    if (!module) {
      fmt::print(stderr, "not LLVM IR\n");
      std::exit(1);
    }
    double start = cpu_seconds();
    if (!passes.empty()) run(*module, passes);
    double seconds = cpu_seconds() - start;
    result.seconds = i == 0 ? seconds : std::min(result.seconds, seconds);
    if (i > 0) continue;
    for (const llvm::Function& function : *module) {
      if (std::ranges::binary_search(without, function.getName().str())) continue;
      for (const llvm::BasicBlock& block : function) {
        for (const llvm::Instruction& inst : block) {
          ++result.instructions;
          ++result.opcodes[inst.getOpcodeName()];
        }
      }
    }
  }
  return result;
}

}  // namespace psi::bench
