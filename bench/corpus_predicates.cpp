// Predicates of the blocks of real code, from bitcode files: what they cost, and what the engines know of
// them.
//
//     corpus_predicates [--pairs=N] FILE.bc...
//
// Every function is imported in plain form, brought into SSA form, and cut into acyclic regions. Then the
// engines are asked of two blocks of a region whether they are disjoint: of those that a branch or switch
// leads to, and of those with the same immediate dominator, at most N (16) pairs each of a function, spread
// evenly where there are more. What is known is told as a share of what the exact engine proves.

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "predicate_study.h"
#include "psi/llvm/llvm.h"
#include "psi/pass/analyses.h"
#include "psi/ssa/construct.h"

namespace {

using namespace psi;
using namespace psi::bench;

void report(std::string_view title, const Cost& cost) {
  double insts = static_cast<double>(cost.insts);
  fmt::print("{}: {} functions, {} instructions, {} blocks in {} regions of up to {}\n", title,
             cost.functions, cost.insts, cost.blocks, cost.regions, cost.largest_region);
  fmt::print("  {} predicates, {} nodes of terms, {} symbols, {} partitions\n", cost.predicates, cost.nodes,
             cost.symbols, cost.partitions);
  fmt::print("  ns an instruction:");
  for (const auto& [step, seconds] : cost.times.all()) fmt::print("  {} {:.1f}", step, seconds * 1e9 / insts);
  fmt::print("\n");
}

void report(std::string_view title, const PairCounts& counts) {
  fmt::print("{}: {} pairs, {} asked about\n", title, counts.pairs, counts.asked);
  double proved = static_cast<double>(counts.engines[kExact].yes);
  for (size_t i = 0; i < kNumEngines; ++i) {
    const PairCounts::OfEngine& engine = counts.engines[i];
    fmt::print("  {:<10} disjoint {:>8} ({:7.3f} % of exact), not {:>8}, unknown {:>8}, {:9.0f} ns each\n",
               kEngines[i].name, engine.yes, 100 * static_cast<double>(engine.yes) / proved, engine.no,
               counts.asked - engine.yes - engine.no,
               engine.seconds * 1e9 / static_cast<double>(counts.asked));
  }
}

// In SSA form; an empty module, and a message, if it cannot be read.
Module load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string contents{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Result<LlvmModule> source = LlvmModule::read(contents, path);
  if (!source) {
    fmt::print(stderr, "{}: {}\n", path, source.message());
    return {};
  }
  std::vector<LlvmRemark> remarks;
  Module module = source->import(ImportMode::Plain, remarks);
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    Function& function = module.function(symbol);
    Analyses analyses(function);
    Counters counters;
    StepTimes times;
    construct(function, analyses, {}, counters, times);
  }
  return module;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kPairs = "--pairs=";
  uint64_t max_pairs = 16;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument.starts_with(kPairs)) {
      max_pairs = std::strtoull(argument.substr(kPairs.size()).data(), nullptr, 10);
    } else {
      paths.emplace_back(argument);
    }
  }
  if (paths.empty()) {
    fmt::print(stderr, "usage: corpus_predicates [--pairs=N] FILE.bc...\n");
    return 2;
  }
  Cost cost, largest;
  std::string largest_name;
  PairCounts targets, siblings;
  for (const std::string& path : paths) {
    Module module = load(path);
    if (module.declarations().empty()) return 1;
    for (SymbolId symbol : module.declarations()) {
      if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
      Study study = study_predicates(module.function(symbol), max_pairs);
      cost.add(study.cost);
      targets.add(study.targets);
      siblings.add(study.siblings);
      if (study.cost.insts <= largest.insts) continue;
      largest = study.cost;
      largest_name = module.name(symbol);
    }
  }
  report("all", cost);
  report(largest_name, largest);
  report("targets of one branch", targets);
  report("blocks with one immediate dominator", siblings);
  uint64_t wrong = targets.wrong + siblings.wrong;
  if (wrong != 0) fmt::print("{} answers are contrary to the exact engine's\n", wrong);
  return wrong == 0 ? 0 : 1;
}
