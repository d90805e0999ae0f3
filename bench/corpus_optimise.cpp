// psic's pipelines beside LLVM's scalar passes on bitcode files, in one process and one thread: what is left,
// and how long it takes.
//
//     corpus_optimise [--repeat=N] [--passes=LIST] [--llvm-passes=LIST] [--opcodes] [--times] FILE.bc...
//
// LLVM's time is that of the passes from the module as read; psic's that of construct and the pipeline, from
// the module as imported (import in plain form, which prepares what mem2reg does, is given beside it).
// Functions that are not imported are not counted on either side. psic's instructions are counted in its own
// IR, and in LLVM IR after export.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "cpu_time.h"
#include "llvm_optimise.h"
#include "psi/llvm/llvm.h"
#include "psi/pipeline/pipeline.h"

namespace {

using psi::bench::cpu_seconds;
using psi::bench::Optimised;

struct Settings {
  int repeat = 1;
  std::string passes = "construct,O2";
  std::string llvm_passes = "mem2reg,sccp,adce,gvn,instcombine<no-verify-fixpoint>";
  bool opcodes = false;
  bool times = false;
  std::vector<std::string> files;
};

struct Row {
  std::string name;
  Optimised llvm, exported;
  uint64_t before = 0;  // LLVM instructions as read
  uint64_t left = 0;    // psic's own
  double import_seconds = 0, seconds = 0;
  psi::PipelineReport passes;
};

uint64_t count(const psi::Module& module) {
  uint64_t total = 0;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = module.function(symbol);
    for (psi::BlockId b : function.layout()) total += function.insts(b).size();
  }
  return total;
}

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "corpus_optimise: {}\n", message);
  std::exit(1);
}

Row measure(const std::string& path, const Settings& settings) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) give_up("cannot read " + path);
  std::string contents{std::istreambuf_iterator<char>(stream), {}};
  Row row;
  row.name = path.substr(path.rfind('/') + 1);
  psi::Result<psi::PassList> passes = psi::parse_passes(psi::PassTable::builtin(), settings.passes);
  if (!passes) give_up(passes.message());
  std::vector<std::string> without;
  for (int i = 0; i < settings.repeat; ++i) {
    std::vector<psi::LlvmRemark> remarks;
    psi::Result<psi::LlvmModule> source = psi::LlvmModule::read(contents, path);
    if (!source) give_up(source.message());
    double start = cpu_seconds();
    psi::Module module = source->import(psi::ImportMode::Plain, remarks);
    double imported = cpu_seconds();
    psi::PipelineResult result = psi::run_passes(module, *passes);
    double seconds = cpu_seconds() - imported;
    if (!result) give_up(result.message());
    row.import_seconds = i == 0 ? imported - start : std::min(row.import_seconds, imported - start);
    row.seconds = i == 0 ? seconds : std::min(row.seconds, seconds);
    if (i > 0) continue;
    row.passes = std::move(*result);
    row.left = count(module);
    std::vector<psi::LlvmRemark> refused;
    source->write_back(module, refused, psi::WriteBack::All);
    for (const psi::LlvmRemark& remark : remarks) without.push_back(remark.function);
    std::ranges::sort(without);
    row.exported = psi::bench::llvm_optimise(source->bitcode(), "", without, 1);
    for (const psi::LlvmRemark& remark : refused)
      fmt::print(stderr, "{}: {}\n", remark.function, remark.reason);
  }
  row.before = psi::bench::llvm_optimise(contents, "", without, 1).instructions;
  row.llvm = psi::bench::llvm_optimise(contents, settings.llvm_passes, without, settings.repeat);
  return row;
}

void print_row(const Row& row) {
  auto ratio = [](auto a, auto b) { return static_cast<double>(a) / static_cast<double>(b); };
  fmt::print("{:<18} {:>9} {:>9} {:>9} {:6.3f} {:>9} {:6.3f} {:>9.1f} {:>9.1f} {:>9.1f} {:6.3f}\n", row.name,
             row.before, row.llvm.instructions, row.left, ratio(row.left, row.llvm.instructions),
             row.exported.instructions, ratio(row.exported.instructions, row.llvm.instructions),
             row.llvm.seconds * 1e3, row.import_seconds * 1e3, row.seconds * 1e3,
             row.seconds / row.llvm.seconds);
}

void add(Row& sum, Row& row) {
  sum.before += row.before;
  sum.left += row.left;
  sum.import_seconds += row.import_seconds;
  sum.seconds += row.seconds;
  for (auto [to, from] : {std::pair(&sum.llvm, &row.llvm), std::pair(&sum.exported, &row.exported)}) {
    to->instructions += from->instructions;
    to->seconds += from->seconds;
    for (const auto& [name, n] : from->opcodes) to->opcodes[name] += n;
  }
  if (sum.passes.passes.empty()) {
    sum.passes.passes = std::move(row.passes.passes);
    return;
  }
  for (size_t i = 0; i < sum.passes.passes.size(); ++i) {
    sum.passes.passes[i].seconds += row.passes.passes[i].seconds;
  }
}

void print_opcodes(const Row& sum) {
  std::set<std::string> names;
  for (const auto& [name, n] : sum.llvm.opcodes) names.insert(name);
  for (const auto& [name, n] : sum.exported.opcodes) names.insert(name);
  for (const std::string& name : names) {
    auto find = [&](const psi::bench::OpcodeCounts& counts) {
      auto at = counts.find(name);
      return at == counts.end() ? int64_t{0} : static_cast<int64_t>(at->second);
    };
    int64_t llvm = find(sum.llvm.opcodes), psic = find(sum.exported.opcodes);
    fmt::print("{:<18} {:>9} {:>9} {:>+9}\n", name, llvm, psic, psic - llvm);
  }
}

Settings read_arguments(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    auto value_of = [&](std::string_view option, std::string& value) {
      if (!argument.starts_with(option)) return false;
      value = argument.substr(option.size());
      return true;
    };
    std::string number;
    if (value_of("--repeat=", number)) {
      settings.repeat = std::max(1, std::atoi(number.c_str()));
    } else if (argument == "--opcodes") {
      settings.opcodes = true;
    } else if (argument == "--times") {
      settings.times = true;
    } else if (!value_of("--passes=", settings.passes) && !value_of("--llvm-passes=", settings.llvm_passes)) {
      settings.files.push_back(argument);
    }
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings = read_arguments(argc, argv);
  if (settings.files.empty()) give_up("no files");
  fmt::print("{:<18} {:>9} {:>9} {:>9} {:>6} {:>9} {:>6} {:>9} {:>9} {:>9} {:>6}\n", "instructions", "before",
             "LLVM", "psic", "ratio", "exported", "ratio", "LLVM ms", "import", "psic ms", "ratio");
  Row sum;
  sum.name = "all";
  for (const std::string& file : settings.files) {
    Row row = measure(file, settings);
    print_row(row);
    add(sum, row);
  }
  print_row(sum);
  if (settings.opcodes) print_opcodes(sum);
  if (settings.times) fmt::print("{}", psi::times_as_text(sum.passes));
}
