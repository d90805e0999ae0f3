// Each optimisation alone, and the pipelines, on functions of 10^3 to 10^6 instructions:
//
//     optimise/SHAPE/PASS/N
//
// Of the work alone, with the analyses that it asks for; a fresh copy of the function, which `construct` has
// brought into SSA form, is made outside. `ns_per_inst` is the best iteration's, for an instruction of the
// function in SSA form; `left` is how many of them are left, as a share.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "programs.h"
#include "psi/pipeline/pipeline.h"
#include "shapes.h"

namespace {

using namespace psi;

struct Size {
  uint64_t insts;
  int64_t iterations;
};
constexpr std::array<Size, 4> kSizes = {{{1'000, 20}, {10'000, 5}, {100'000, 2}, {1'000'000, 1}}};

uint64_t count_insts(const Module& module) {
  uint64_t count = 0;
  const Function& function = module.function(bench::largest_function(module));
  for (BlockId b : function.layout()) count += function.insts(b).size();
  return count;
}

PassList passes_of(std::string_view text) {
  Result<PassList> list = parse_passes(PassTable::builtin(), text);
  if (list) return *list;
  fmt::print(stderr, "{}\n", list.diagnostics().first_error());
  std::exit(1);
}

double seconds_of(Module& module, const PassList& passes) {
  PipelineResult result = run_passes(module, passes);
  if (!result) {
    fmt::print(stderr, "{}\n", result.message());
    std::exit(1);
  }
  double seconds = 0;
  for (const PassReport& report : result->passes) seconds += report.seconds;
  return seconds;
}

void run(benchmark::State& state, const bench::Shape& shape, const std::string& pass, uint64_t insts) {
  Module ssa = shape.make(insts);
  seconds_of(ssa, passes_of("construct"));
  auto size = static_cast<double>(count_insts(ssa));
  PassList passes = passes_of(pass);
  double best = std::numeric_limits<double>::max();
  uint64_t left = 0;
  for (auto _ : state) {
    Module module = ssa;
    double seconds = seconds_of(module, passes);
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    left = count_insts(module);
  }
  state.counters["ns_per_inst"] = best * 1e9 / size;
  state.counters["left"] = static_cast<double>(left) / size;
}

// Passes that stay in SSA form, but for those that prepare the way out of it or serve tests.
std::vector<std::string> optimisations() {
  std::vector<std::string> names;
  for (const Pass& pass : PassTable::builtin().all()) {
    if (!pass.accepts(Form::Ssa) || pass.makes || pass.accepts(Form::Plain)) continue;
    if (pass.for_tests || pass.name == "psi-normalize" || pass.name == "psi-web") continue;
    names.push_back(pass.name);
  }
  for (const Pipeline& pipeline : PassTable::builtin().pipelines()) names.push_back(pipeline.name);
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  bench::keep_memory();
  std::vector<std::string> passes = optimisations();
  for (const bench::Shape& shape : bench::shapes()) {
    for (const std::string& pass : passes) {
      for (Size size : kSizes) {
        std::string name = fmt::format("optimise/{}/{}/{}", shape.name, pass, size.insts);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [shape, pass, size](benchmark::State& state) { run(state, shape, pass, size.insts); })
            ->UseManualTime()
            ->Iterations(size.iterations)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
