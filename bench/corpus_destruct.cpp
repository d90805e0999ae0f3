// Out of SSA form: psic's methods and LLVM on bitcode files, in one process and one thread.
//
//     corpus_destruct [--methods=NAME,...] [--repeat=N] [--no-llvm] FILE.bc...
//
// Everything is done N times (3) for each file, function by function, on functions that were made just
// before, and the shortest time counts. psic's times include all analyses that it needs. Instructions are
// LLVM's, as read, for both; phis and copies are each one's own.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm_out_of_ssa.h"
#include "psi/llvm/llvm.h"
#include "psic_out_of_ssa.h"

namespace {

using namespace psi;
using namespace psi::bench;

constexpr PhiMethod kMethods[] = {PhiMethod::Naive,  PhiMethod::Sreedhar2, PhiMethod::Sreedhar3,
                                  PhiMethod::Briggs, PhiMethod::Boissinot, PhiMethod::Unified};

struct Options {
  std::vector<PhiMethod> methods{std::begin(kMethods), std::end(kMethods)};
  int repeat = 3;
  bool llvm = true;
  std::vector<std::string> paths;
};

struct Row {
  std::string name;
  OutOfSsa statistics;
};

class Table {
 public:
  explicit Table(const Options& options) : options_(options) {
    for (PhiMethod method : options.methods) {
      rows_.push_back({fmt::format("psic {}", phi_method_name(method)), {}});
    }
    if (!options.llvm) return;
    back_end_.emplace();
    rows_.push_back({"LLVM", {}});
    rows_.push_back({"LLVM without two-address", {}});
  }

  // What went wrong, or nothing.
  std::string add_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return "cannot be read";
    std::string contents{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Result<LlvmModule> source = LlvmModule::read(contents, path);
    if (!source) return source.message();
    std::vector<LlvmRemark> remarks;
    Module module = source->import(ImportMode::Ssa, remarks);
    instructions_ += source->num_instructions();
    left_out_ += remarks.size();
    size_t row = 0;
    for (PhiMethod method : options_.methods) {
      if (!add(row++, psic_out_of_ssa(module, method, options_.repeat))) {
        return fmt::format("{} miscounts its copies, or leaves phis", phi_method_name(method));
      }
    }
    if (!back_end_) return {};
    for (TwoAddress two_address : {TwoAddress::Yes, TwoAddress::No}) {
      if (!add(row++, back_end_->out_of_ssa(contents, two_address, options_.repeat))) {
        return "LLVM cannot compile it";
      }
    }
    return {};
  }

  void print() const {
    double insts = static_cast<double>(instructions_);
    fmt::print("{} LLVM instructions; psic: without {} functions that it cannot import\n", instructions_,
               left_out_);
    fmt::print("{:<26}{:>8}{:>10}{:>8}{:>8}{:>10}{:>11}{:>13}{:>9}{:>10}{:>7}{:>13}{:>12}\n", "", "phis",
               "inserted", "left", "a phi", "weighted", "constants", "temporaries", "ms", "ns/inst", "M/s",
               "KiB at most", "bytes/inst");
    for (const auto& [name, statistics] : rows_) {
      double phis = static_cast<double>(statistics.phis);
      fmt::print(
          "{:<26}{:>8}{:>10}{:>8}{:>8.3f}{:>10.3f}{:>11}{:>13}{:>9.1f}{:>10.1f}{:>7.2f}{:>13}{:>12.1f}\n",
          name, statistics.phis, statistics.inserted, statistics.left,
          static_cast<double>(statistics.left) / phis, statistics.weighted / phis, statistics.constants,
          statistics.temporaries ? fmt::to_string(*statistics.temporaries) : "-", statistics.seconds * 1e3,
          statistics.seconds * 1e9 / insts, insts / statistics.seconds / 1e6, statistics.largest / 1024,
          static_cast<double>(statistics.memory) / insts);
    }
    fmt::print("steps, percent of the time:\n");
    for (const auto& [name, statistics] : rows_) {
      double all = 0;
      for (const auto& [step, seconds] : statistics.steps.all()) all += seconds;
      fmt::print("{:<26}", name);
      for (const auto& [step, seconds] : statistics.steps.all()) {
        fmt::print("  {} {:.1f}", step, 100 * seconds / all);
      }
      fmt::print("\n");
    }
  }

 private:
  bool add(size_t row, const std::optional<OutOfSsa>& statistics) {
    if (statistics) rows_[row].statistics.add(*statistics);
    return statistics.has_value();
  }

  const Options& options_;
  std::optional<LlvmBackEnd> back_end_;
  std::vector<Row> rows_;
  uint64_t instructions_ = 0;
  size_t left_out_ = 0;
};

// Those that are named; none if one is unknown.
std::vector<PhiMethod> methods_of(std::string_view names) {
  std::vector<PhiMethod> methods;
  while (!names.empty()) {
    std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    std::optional<PhiMethod> method = phi_method_from_name(name);
    if (!method) return {};
    methods.push_back(*method);
  }
  return methods;
}

Options parse(int argc, char** argv) {
  constexpr std::string_view kRepeat = "--repeat=", kChosen = "--methods=";
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument.starts_with(kRepeat)) {
      options.repeat = std::max(1, std::atoi(argument.substr(kRepeat.size()).data()));
    } else if (argument.starts_with(kChosen)) {
      options.methods = methods_of(argument.substr(kChosen.size()));
    } else if (argument == "--no-llvm") {
      options.llvm = false;
    } else {
      options.paths.emplace_back(argument);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  if (options.paths.empty() || options.methods.empty()) {
    fmt::print(stderr, "usage: corpus_destruct [--methods=NAME,...] [--repeat=N] [--no-llvm] FILE.bc...\n");
    fmt::print(stderr, "methods:");
    for (PhiMethod method : kMethods) fmt::print(stderr, " {}", phi_method_name(method));
    fmt::print(stderr, "\n");
    return 2;
  }
  Table table(options);
  for (const std::string& path : options.paths) {
    std::string error = table.add_file(path);
    if (error.empty()) continue;
    fmt::print(stderr, "{}: {}\n", path, error);
    return 1;
  }
  table.print();
  return 0;
}
