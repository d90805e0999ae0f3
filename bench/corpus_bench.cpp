// psic beside LLVM on bitcode files, in one process and one thread: reading, into SSA form, writing.
//
//     corpus_bench [--repeat=N] FILE.bc...
//
// Each step is done N times (5) for each file, and the shortest time counts; times and sizes are summed over
// the files. Instructions are LLVM's, as read, for both.

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
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "psi/llvm/llvm.h"
#include "psi/pass/analyses.h"
#include "psi/ssa/construct.h"

namespace {

// Of this thread: what else the machine does disturbs it least.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The shortest of several times, in seconds.
class Shortest {
 public:
  template <class Work>
  void time(Work work) {
    double start = cpu_seconds();
    work();
    double seconds = cpu_seconds() - start;
    best_ = best_ < 0 ? seconds : std::min(best_, seconds);
  }
  double seconds() const { return best_; }

 private:
  double best_ = -1;
};

struct Times {
  double read = 0, promote = 0, write = 0;  // LLVM
  double import_ssa = 0, import_plain = 0;  // psic
  double construct = 0, export_ssa = 0, export_built = 0;
};

struct Totals {
  Times times;
  uint64_t instructions = 0;
  size_t llvm_bytes = 0, ssa_bytes = 0, plain_bytes = 0;
  psi::StepTimes steps;
};

std::unique_ptr<llvm::Module> parse(const std::string& contents, llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  return llvm::parseIR(llvm::MemoryBufferRef(contents, "input"), diagnostic, context);
}

// What the pass mem2reg does, dominator tree included.
void promote(llvm::Function& function) {
  llvm::DominatorTree tree(function);
  std::vector<llvm::AllocaInst*> slots;
  for (;;) {
    slots.clear();
    for (llvm::Instruction& inst : function.getEntryBlock()) {
      auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&inst);
      if (slot && llvm::isAllocaPromotable(slot)) slots.push_back(slot);
    }
    if (slots.empty()) return;
    llvm::PromoteMemToReg(slots, tree);
  }
}

template <class Visit>
void for_each_body(psi::Module& module, Visit visit) {
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    if (!module.function(symbol).is_declaration()) visit(module.function(symbol));
  }
}

void construct(psi::Module& module, psi::StepTimes& steps) {
  psi::Counters counters;
  for_each_body(module, [&](psi::Function& function) {
    psi::Analyses analyses(function);
    psi::construct(function, analyses, {}, counters, steps);
  });
}

class File {
 public:
  File(const std::string& path, const std::string& contents) : path_(path), contents_(contents) {}

  void measure(int repeat, Totals& totals) {
    for (int i = 0; i < repeat; ++i) {
      measure_llvm(totals, i == 0);
      psi::StepTimes steps;
      measure_ssa(totals, i == 0);
      measure_plain(totals, i == 0, steps);
      if (i == repeat - 1) add(totals.steps, steps);
    }
    Times& times = totals.times;
    times.read += read_.seconds();
    times.promote += promote_.seconds();
    times.write += write_.seconds();
    times.import_ssa += import_ssa_.seconds();
    times.import_plain += import_plain_.seconds();
    times.construct += construct_.seconds();
    times.export_ssa += export_ssa_.seconds();
    times.export_built += export_built_.seconds();
  }

 private:
  static void add(psi::StepTimes& to, const psi::StepTimes& from) {
    for (const auto& [step, seconds] : from.all()) to.add(step, seconds);
  }

  void measure_llvm(Totals& totals, bool count) {
    llvm::LLVMContext context;
    size_t before = mallinfo2().uordblks;
    std::unique_ptr<llvm::Module> module;
    read_.time([&] { module = parse(contents_, context); });
    if (!module) {
      fmt::print(stderr, "{}: not LLVM IR\n", path_);
      std::exit(1);
    }
    if (count) totals.llvm_bytes += mallinfo2().uordblks - before;
    write_.time([&] {
      std::string bytes;
      llvm::raw_string_ostream stream(bytes);
      llvm::WriteBitcodeToFile(*module, stream);
    });
    promote_.time([&] {
      for (llvm::Function& function : *module) {
        if (!function.isDeclaration()) promote(function);
      }
    });
  }

  psi::Result<psi::LlvmModule> read() { return psi::LlvmModule::read(contents_, path_); }

  void measure_ssa(Totals& totals, bool count) {
    std::vector<psi::LlvmRemark> remarks;
    psi::Result<psi::LlvmModule> source = read();
    psi::Module module;
    import_ssa_.time([&] { module = source->import(psi::ImportMode::Ssa, remarks); });
    if (count) {
      totals.instructions += source->num_instructions();
      totals.ssa_bytes += module.memory();
    }
    export_ssa_.time([&] { source->write_back(module, remarks, psi::WriteBack::All); });
  }

  void measure_plain(Totals& totals, bool count, psi::StepTimes& steps) {
    std::vector<psi::LlvmRemark> remarks;
    psi::Result<psi::LlvmModule> source = read();
    psi::Module module;
    import_plain_.time([&] { module = source->import(psi::ImportMode::Plain, remarks); });
    if (count) totals.plain_bytes += module.memory();
    construct_.time([&] { construct(module, steps); });
    export_built_.time([&] { source->write_back(module, remarks, psi::WriteBack::All); });
  }

  const std::string& path_;
  const std::string& contents_;
  Shortest read_, promote_, write_, import_ssa_, import_plain_, construct_, export_ssa_, export_built_;
};

void report(const Totals& totals) {
  const Times& times = totals.times;
  double insts = static_cast<double>(totals.instructions);
  auto row = [&](std::string_view work, double psic, std::string_view peer, double llvm) {
    fmt::print("{:<28} {:8.1f} ms {:6.2f} M/s   {:<16} {:8.1f} ms {:6.2f} M/s   {:5.2f}\n", work, psic * 1e3,
               insts / psic / 1e6, peer, llvm * 1e3, insts / llvm / 1e6, psic / llvm);
  };
  fmt::print("{} LLVM instructions\n", totals.instructions);
  fmt::print("{:<28} {:>22}   {:<16} {:>22}   {:>5}\n", "psic", "", "LLVM", "", "time");
  row("import, ssa", times.import_ssa, "read bitcode", times.read);
  row("import, plain", times.import_plain, "read bitcode", times.read);
  row("construct", times.construct, "mem2reg", times.promote);
  row("export", times.export_ssa, "write bitcode", times.write);
  row("export after construct", times.export_built, "write bitcode", times.write);
  auto bytes = [&](size_t size) { return static_cast<double>(size) / insts; };
  fmt::print("bytes an instruction: psic {:.1f} (ssa), {:.1f} (plain), LLVM {:.1f}\n",
             bytes(totals.ssa_bytes), bytes(totals.plain_bytes), bytes(totals.llvm_bytes));
  fmt::print("steps of construct:");
  for (const auto& [step, seconds] : totals.steps.all()) fmt::print("  {} {:.1f} ms", step, seconds * 1e3);
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kRepeat = "--repeat=";
  int repeat = 5;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument.starts_with(kRepeat)) {
      repeat = std::max(1, std::atoi(argument.substr(kRepeat.size()).data()));
    } else {
      paths.emplace_back(argument);
    }
  }
  if (paths.empty()) {
    fmt::print(stderr, "usage: corpus_bench [--repeat=N] FILE.bc...\n");
    return 2;
  }
  Totals totals;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::string contents{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    File(path, contents).measure(repeat, totals);
  }
  report(totals);
  return 0;
}
