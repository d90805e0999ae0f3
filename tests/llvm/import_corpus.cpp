// Imports bitcode files in both modes, verifies the result, and reports: how many functions were imported and
// why the others were not, time and memory beside LLVM's. With --construct also how many phis SSA
// construction makes for the stack slots that became registers, beside LLVM's own promotion.
//
//     import_corpus [--construct] [--quiet] FILE.bc...
//
// Fails if something does not verify, or if the phis differ in a way that is not understood.

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/llvm/llvm.h"
#include "psi/pass/analyses.h"
#include "psi/ssa/construct.h"
#include "psi/verify/verify.h"

namespace {

constexpr std::string_view kSlotPrefix = "psi.promoted.";

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Totals {
  uint64_t functions = 0, imported = 0, instructions = 0, psic_instructions = 0, memory = 0, errors = 0;
  double import_time = 0;
  std::map<std::string, std::vector<std::string>> reasons;
};

struct Run {
  std::map<psi::ImportMode, Totals> totals;
  double read_time = 0;
  bool quiet = false;
  // Phis that LLVM's promotion leaves: after its first round, after all, and in functions that psic cannot
  // have.
  uint64_t llvm_first = 0, llvm_unused = 0, llvm_all = 0, llvm_not_imported = 0;
  uint64_t psic_phis = 0, psic_trivial = 0, differing = 0, compared = 0;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::unique_ptr<llvm::Module> parse(const std::string& contents, llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  return llvm::parseIR(llvm::MemoryBufferRef(contents, "input"), diagnostic, context);
}

void import_in(psi::ImportMode mode, psi::LlvmModule& source, const std::string& path, Run& run) {
  Totals& totals = run.totals[mode];
  std::vector<psi::LlvmRemark> remarks;
  auto start = Clock::now();
  psi::Module module = source.import(mode, remarks);
  totals.import_time += seconds_since(start);
  totals.memory += module.memory();
  totals.instructions += source.num_instructions();
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function || module.function(symbol).is_declaration())
      continue;
    ++totals.imported, ++totals.functions;
    const psi::Function& function = module.function(symbol);
    for (psi::BlockId b : function.layout()) totals.psic_instructions += function.insts(b).size();
  }
  for (const psi::LlvmRemark& remark : remarks) {
    ++totals.functions;
    totals.reasons[remark.reason].push_back(remark.function);
  }
  psi::Result<void> verified = psi::verifies(module);
  if (!verified) {
    totals.errors += verified.diagnostics().num_errors();
    fmt::print("{}", psi::render(verified, path, {}));
  }
}

// --- The cross-check --------------------------------------------------------------------------------------

using Phis = std::unordered_set<const llvm::PHINode*>;

Phis phis_of(const llvm::Function& function) {
  Phis phis;
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::PHINode& phi : block.phis()) phis.insert(&phi);
  }
  return phis;
}

// How many phis that were not there before are used by no instruction but each other: they come from loads
// whose result is not used. In psic IR such a load is a copy, which construction drops.
uint64_t count_unused(const Phis& phis, const Phis& before) {
  Phis used;
  std::vector<const llvm::PHINode*> pending;
  auto use = [&](const llvm::PHINode* phi) {
    if (used.insert(phi).second) pending.push_back(phi);
  };
  for (const llvm::PHINode* phi : phis) {
    for (const llvm::User* user : phi->users()) {
      const auto* other = llvm::dyn_cast<llvm::PHINode>(user);
      if (!other || before.contains(other)) use(phi);
    }
    if (before.contains(phi)) use(phi);
  }
  while (!pending.empty()) {
    const llvm::PHINode* phi = pending.back();
    pending.pop_back();
    for (const llvm::Use& value : phi->incoming_values()) {
      if (const auto* other = llvm::dyn_cast<llvm::PHINode>(value.get())) use(other);
    }
  }
  return phis.size() - used.size();
}

std::vector<llvm::AllocaInst*> promotable(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> slots;
  for (llvm::Instruction& inst : function.getEntryBlock()) {
    auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&inst);
    if (slot && llvm::isAllocaPromotable(slot)) slots.push_back(slot);
  }
  return slots;
}

// The phis of promoted slots, and how many of them LLVM would not keep: those that have the same value on
// every edge. That value, to LLVM, may be missing on some edges if it is there anyway where the phi stands.
class PhiCensus {
 public:
  explicit PhiCensus(const psi::Function& function)
      : function_(function), cfg_(function), dominators_(cfg_), uses_(function) {
    for (psi::BlockId b : function.layout()) {
      for (psi::InstId id : function.insts(b)) {
        const psi::Inst& inst = function.inst(id);
        if (inst.is_phi() && function.name(inst.results[0]).starts_with(kSlotPrefix)) phis_.push_back(id);
      }
    }
    find_trivial();
  }
  uint64_t all() const { return phis_.size(); }
  uint64_t trivial() const { return same_as_.size(); }

 private:
  void find_trivial() {
    for (bool changed = true; changed;) {
      changed = false;
      for (psi::InstId id : phis_) {
        psi::Reg result = function_.inst(id).results[0];
        if (same_as_.contains(result)) continue;
        if (psi::Operand value = common_value(id); !value.is_none()) {
          same_as_[result] = value;
          changed = true;
        }
      }
    }
  }

  psi::Operand common_value(psi::InstId id) {
    psi::Operand self = psi::Operand::reg(function_.inst(id).results[0]);
    psi::Operand common;
    bool partly_undef = false;
    std::span<const psi::Operand> operands = function_.operands(id);
    for (size_t i = 1; i < operands.size(); i += 2) {
      psi::Operand value = resolve(operands[i]);
      if (value == self) continue;
      if (value.is_undef()) {
        partly_undef = true;
      } else if (common.is_none()) {
        common = value;
      } else if (common != value) {
        return {};
      }
    }
    if (common.is_none()) return psi::Operand::undef(function_.inst(id).type);
    if (!partly_undef || !common.is_reg() || uses_.is_param(common.reg())) return common;
    psi::BlockId from = uses_.block(uses_.definition(common.reg()));
    return dominators_.strictly_dominates(from, uses_.block(id)) ? common : psi::Operand();
  }

  psi::Operand resolve(psi::Operand value) const {
    while (value.is_reg()) {
      if (auto at = same_as_.find(value.reg()); at != same_as_.end()) {
        value = at->second;
        continue;
      }
      psi::InstId definition = uses_.definition(value.reg());
      if (!definition || function_.inst(definition).op != psi::Opcode::Mov) break;
      value = function_.operands(definition)[0];
    }
    return value;
  }

  const psi::Function& function_;
  psi::Cfg cfg_;
  psi::Dominators dominators_;
  psi::Uses uses_;
  std::vector<psi::InstId> phis_;
  std::map<psi::Reg, psi::Operand> same_as_;
};

// Names the slots that LLVM would promote, so that the phis made for them can be told.
std::string with_named_slots(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    size_t number = 0;
    for (llvm::AllocaInst* slot : promotable(function)) {
      slot->setName(std::string(kSlotPrefix) + std::to_string(number++));
    }
  }
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

void compare_phis(const std::string& contents, Run& run) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> copy = parse(contents, context);
  std::string named = with_named_slots(*copy);
  psi::Result<psi::LlvmModule> source = psi::LlvmModule::read(named, "copy");
  std::vector<psi::LlvmRemark> remarks;
  psi::Module module = source->import(psi::ImportMode::Plain, remarks);
  for (llvm::Function& function : *copy) {
    if (function.isDeclaration()) continue;
    Phis before = phis_of(function);
    uint64_t first = 0, unused = 0;
    bool is_first = true;
    llvm::DominatorTree tree(function);
    for (auto slots = promotable(function); !slots.empty(); slots = promotable(function)) {
      llvm::PromoteMemToReg(slots, tree);
      if (is_first) {
        Phis after = phis_of(function);
        first = after.size() - before.size();
        unused = count_unused(after, before);
      }
      is_first = false;
    }
    uint64_t all = phis_of(function).size() - before.size();
    run.llvm_all += all;

    psi::Function* target = module.find_function(function.getName().str());
    if (!target || target->is_declaration()) {
      run.llvm_not_imported += all;
      continue;
    }
    run.llvm_first += first;
    run.llvm_unused += unused;
    ++run.compared;
    psi::Analyses analyses(*target);
    psi::Counters counters;
    psi::StepTimes times;
    psi::construct(*target, analyses, {}, counters, times);
    PhiCensus census(*target);
    run.psic_phis += census.all();
    run.psic_trivial += census.trivial();
    if (census.all() - census.trivial() == first - unused) continue;
    ++run.differing;
    fmt::print("phis differ: {}: LLVM {}, {} unused; psic {}, {} with one value\n", function.getName().str(),
               first, unused, census.all(), census.trivial());
  }
  psi::Result<void> verified = psi::verifies(module);
  if (verified) return;
  fmt::print("{}", psi::render(verified, "constructed", {}));
  ++run.differing;
}

// --- Reports ----------------------------------------------------------------------------------------------

void report(psi::ImportMode mode, const Totals& totals, const Run& run) {
  fmt::print(
      "{}: {} of {} functions ({:.2f}%), {} LLVM instructions, {} psic instructions, {} verifier errors\n",
      mode == psi::ImportMode::Ssa ? "ssa" : "plain", totals.imported, totals.functions,
      100.0 * static_cast<double>(totals.imported) / static_cast<double>(totals.functions),
      totals.instructions, totals.psic_instructions, totals.errors);
  fmt::print("  import {:.3f} s, LLVM reads in {:.3f} s: ratio {:.2f}; {:.1f} bytes per LLVM instruction\n",
             totals.import_time, run.read_time, totals.import_time / run.read_time,
             static_cast<double>(totals.memory) / static_cast<double>(totals.instructions));
  for (const auto& [reason, functions] : totals.reasons) {
    fmt::print("  {:5} {}", functions.size(), reason);
    for (size_t i = 0; i < functions.size() && i < 3; ++i) fmt::print("{}{}", i ? ", " : ": ", functions[i]);
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Run run;
  bool construct = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--construct") {
      construct = true;
    } else if (argument == "--quiet") {
      run.quiet = true;
    } else {
      paths.push_back(argument);
    }
  }
  for (const std::string& path : paths) {
    std::string contents = read_file(path);
    {
      llvm::LLVMContext context;
      auto start = Clock::now();
      std::unique_ptr<llvm::Module> module = parse(contents, context);
      run.read_time += seconds_since(start);
    }
    psi::Result<psi::LlvmModule> source = psi::LlvmModule::read(contents, path);
    if (!source) {
      fmt::print("{}\n", source.message());
      return 1;
    }
    for (psi::ImportMode mode : {psi::ImportMode::Ssa, psi::ImportMode::Plain})
      import_in(mode, *source, path, run);
    if (construct) compare_phis(contents, run);
    if (!run.quiet) fmt::print("{}: done\n", path);
  }
  bool failed = run.differing > 0;
  for (const auto& [mode, totals] : run.totals) {
    report(mode, totals, run);
    failed = failed || totals.errors > 0;
  }
  if (construct) {
    fmt::print("phis of promoted slots, {} functions: LLVM {}, {} of them unused\n", run.compared,
               run.llvm_first, run.llvm_unused);
    fmt::print("  ({} with those of slots promotable only after others, and {} in functions not imported)\n",
               run.llvm_all, run.llvm_not_imported);
    fmt::print("  psic {}, {} of them with one value on all edges, {} without; {} functions differ\n",
               run.psic_phis, run.psic_trivial, run.psic_phis - run.psic_trivial, run.differing);
  }
  return failed ? 1 : 0;
}
