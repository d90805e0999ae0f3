#include "llvm_out_of_ssa.h"

#include <llvm/CodeGen/LiveIntervals.h>
#include <llvm/CodeGen/MachineBlockFrequencyInfo.h>
#include <llvm/CodeGen/MachineBranchProbabilityInfo.h>
#include <llvm/CodeGen/MachineDominators.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/SlotIndexes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/InitializePasses.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cpu_time.h"
#include "heap_meter.h"

namespace psi::bench {
namespace {

// Calls a function between two passes, for each machine function.
class Mark : public llvm::MachineFunctionPass {
 public:
  using Call = std::function<void(llvm::MachineFunction&)>;
  explicit Mark(Call call) : MachineFunctionPass(kId), call_(std::move(call)) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    call_(function);
    return false;
  }

 private:
  inline static char kId = 0;
  Call call_;
};

bool is_copy(const llvm::MachineInstr& inst) {
  return inst.isFullCopy() && inst.getOperand(0).getReg().isVirtual() &&
         inst.getOperand(1).getReg().isVirtual();
}

// Of a register that is also defined elsewhere, from nothing but operands in the instruction.
bool is_constant(const llvm::MachineInstr& inst, const llvm::MachineRegisterInfo& registers) {
  if (!inst.isMoveImmediate() && !inst.isAsCheapAsAMove()) return false;
  if (inst.mayLoad() || inst.getNumExplicitDefs() != 1) return false;
  llvm::Register result = inst.getOperand(0).getReg();
  if (!result.isVirtual() || registers.hasOneDef(result)) return false;
  for (const llvm::MachineOperand& use : inst.explicit_uses()) {
    if (use.isReg() && use.getReg().isVirtual()) return false;
  }
  return true;
}

// Calls visit(instruction, frequency of its block).
template <class Visit>
void for_each_inst(llvm::MachineFunction& function, Visit visit) {
  llvm::MachineDominatorTree dominators(function);
  llvm::MachineLoopInfo loops(dominators);
  llvm::MachineBranchProbabilityInfo probabilities;
  llvm::MachineBlockFrequencyInfo frequencies(function, probabilities, loops);
  for (const llvm::MachineBasicBlock& block : function) {
    double frequency = frequencies.getBlockFreqRelativeToEntryBlock(&block);
    for (const llvm::MachineInstr& inst : block) visit(inst, frequency);
  }
}

uint64_t num_copies(const llvm::MachineFunction& function) {
  uint64_t count = 0;
  for (const llvm::MachineBasicBlock& block : function) {
    for (const llvm::MachineInstr& inst : block) count += is_copy(inst);
  }
  return count;
}

// What the marks of one run see. Counting is done while the clock stands.
class Observer {
 public:
  explicit Observer(OutOfSsa& statistics) : statistics_(statistics) {}

  void begin(llvm::MachineFunction& function) {
    copies_ = phis_ = 0;
    phi_frequency_ = 0;
    for_each_inst(function, [&](const llvm::MachineInstr& inst, double frequency) {
      copies_ += is_copy(inst);
      if (!inst.isPHI()) return;
      ++phis_;
      phi_frequency_ += frequency;
    });
    heap_.emplace();
    start_ = cpu_seconds();
  }

  void end_step(std::string_view step) {
    double seconds = cpu_seconds() - start_;
    statistics_.seconds += seconds;
    statistics_.steps.add(step, seconds);
    start_ = cpu_seconds();
  }

  void before_coalescing(const llvm::MachineFunction& function) {
    statistics_.inserted += num_copies(function) - copies_;
    start_ = cpu_seconds();
  }

  void end(llvm::MachineFunction& function) {
    statistics_.took(heap_->peak());
    heap_.reset();
    const llvm::MachineRegisterInfo& registers = function.getRegInfo();
    double copy_frequency = 0;
    for_each_inst(function, [&](const llvm::MachineInstr& inst, double frequency) {
      statistics_.constants += is_constant(inst, registers);
      if (!is_copy(inst)) return;
      ++statistics_.left;
      copy_frequency += frequency;
    });
    statistics_.phis += phis_;
    statistics_.weigh(phis_, phi_frequency_, copy_frequency);
  }

 private:
  OutOfSsa& statistics_;
  std::optional<HeapMeter> heap_;
  double start_ = 0;
  // Of this function before anything was done.
  uint64_t copies_ = 0, phis_ = 0;
  double phi_frequency_ = 0;
};

std::unique_ptr<llvm::LLVMTargetMachine> make_target(const llvm::Module& module) {
  std::string error;
  const std::string& triple = module.getTargetTriple();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return nullptr;
  return std::unique_ptr<llvm::LLVMTargetMachine>(static_cast<llvm::LLVMTargetMachine*>(
      target->createTargetMachine(triple, "", "", {}, llvm::Reloc::PIC_)));
}

// The passes that a target uses by default, in their order, with marks between them.
void add_passes(llvm::legacy::PassManager& passes, TwoAddress two_address, Observer& observer) {
  auto mark = [&](Mark::Call call) { passes.add(new Mark(std::move(call))); };
  auto step = [&](std::string_view name, llvm::Pass* pass) {
    passes.add(pass);
    mark([&observer, name](llvm::MachineFunction&) { observer.end_step(name); });
  };
  auto step_by_id = [&](std::string_view name, char& id) { step(name, llvm::Pass::createPass(&id)); };
  mark([&](llvm::MachineFunction& function) { observer.begin(function); });
  step_by_id("live variables", llvm::LiveVariablesID);
  step_by_id("loops", llvm::MachineLoopInfoID);
  step_by_id("phi elimination", llvm::PHIEliminationID);
  if (two_address == TwoAddress::Yes) step_by_id("two-address", llvm::TwoAddressInstructionPassID);
  mark([&](llvm::MachineFunction& function) { observer.before_coalescing(function); });
  step("slot indexes", new llvm::SlotIndexesWrapperPass);
  step("live intervals", new llvm::LiveIntervalsWrapperPass);
  step_by_id("coalescer", llvm::RegisterCoalescerID);
  mark([&](llvm::MachineFunction& function) { observer.end(function); });
}

std::optional<OutOfSsa> run_once(const std::string& contents, TwoAddress two_address) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseIR(llvm::MemoryBufferRef(contents, "input"), diagnostic, context);
  if (!module) return std::nullopt;
  std::unique_ptr<llvm::LLVMTargetMachine> target = make_target(*module);
  if (!target) return std::nullopt;
  OutOfSsa statistics;
  Observer observer(statistics);
  llvm::legacy::PassManager passes;
  llvm::TargetPassConfig* config = target->createPassConfig(passes);
  passes.add(config);
  passes.add(new llvm::MachineModuleInfoWrapperPass(target.get()));
  if (config->addISelPasses()) return std::nullopt;
  config->addMachinePasses();
  config->setInitialized();
  add_passes(passes, two_address, observer);
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(*module);
  return statistics;
}

}  // namespace

LlvmBackEnd::LlvmBackEnd() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::PassRegistry& registry = *llvm::PassRegistry::getPassRegistry();
  llvm::initializeCore(registry);
  llvm::initializeCodeGen(registry);
  // A target adds passes up to here; there is no other way to tell it where to end.
  const char* arguments[] = {"", "-stop-before=livevars"};
  llvm::cl::ParseCommandLineOptions(std::size(arguments), arguments);
}

std::optional<OutOfSsa> LlvmBackEnd::out_of_ssa(const std::string& contents, TwoAddress two_address,
                                                int repeat) const {
  std::optional<OutOfSsa> best;
  for (int i = 0; i < repeat; ++i) {
    std::optional<OutOfSsa> statistics = run_once(contents, two_address);
    if (!statistics) return std::nullopt;
    if (!best || statistics->seconds < best->seconds) best = statistics;
  }
  return best;
}

}  // namespace psi::bench
