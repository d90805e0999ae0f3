// Out of SSA form, on functions of 10^3 to 10^6 instructions:
//
//     destruct/SHAPE/METHOD/N
//
// Of the work alone; a fresh copy of the function, which `construct` has brought into SSA form, is made
// outside. `ns_per_inst` is the best iteration's, `structures_per_inst` the bytes of what tells where
// registers are live and which interfere, at their largest, both for an instruction of the function in SSA
// form, and `copies` are those left. Sizes at which an interference graph or sets of live registers would
// take gigabytes are left out.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>

#include "programs.h"
#include "psi/destruct.h"
#include "psi/ssa.h"
#include "shapes.h"

namespace {

using namespace psi;

struct Size {
  uint64_t insts;
  int64_t iterations;
};
constexpr std::array<Size, 4> kSizes = {{{1'000, 50}, {10'000, 10}, {100'000, 3}, {1'000'000, 1}}};

struct Method {
  PhiMethod method;
  uint64_t largest;
};
constexpr std::array<Method, 6> kMethods = {{
    {PhiMethod::Unified, 1'000'000},
    {PhiMethod::Boissinot, 1'000'000},
    {PhiMethod::Briggs, 100'000},
    {PhiMethod::Sreedhar3, 10'000},
    {PhiMethod::Sreedhar2, 10'000},
    {PhiMethod::Naive, 1'000'000},
}};

uint64_t count_insts(const Function& function) {
  uint64_t count = 0;
  for (BlockId b : function.layout()) count += function.insts(b).size();
  return count;
}

Module in_ssa_form(const bench::Shape& shape, uint64_t insts) {
  Module module = shape.make(insts);
  Function& function = module.function(bench::largest_function(module));
  Analyses analyses(function);
  Counters counters;
  StepTimes times;
  construct(function, analyses, {}, counters, times);
  return module;
}

void run(benchmark::State& state, const bench::Shape& shape, PhiMethod method, uint64_t insts) {
  Module module = in_ssa_form(shape, insts);
  const Function& ssa = module.function(bench::largest_function(module));
  auto size = static_cast<double>(count_insts(ssa));
  double best = std::numeric_limits<double>::max();
  Counters counters;
  for (auto _ : state) {
    Function function = ssa;
    Analyses analyses(function);
    StepTimes times;
    counters = {};
    auto start = std::chrono::steady_clock::now();
    DestructOptions options;
    options.method = method;
    destruct(function, analyses, options, counters, times);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  state.counters["ns_per_inst"] = best * 1e9 / size;
  state.counters["structures_per_inst"] =
      static_cast<double>(counters["liveness and interference bytes"]) / size;
  state.counters["copies"] = static_cast<double>(counters["copies left"]);
}

}  // namespace

int main(int argc, char** argv) {
  bench::keep_memory();
  for (const bench::Shape& shape : bench::shapes()) {
    for (const Method& method : kMethods) {
      for (Size size : kSizes) {
        if (size.insts > method.largest) continue;
        std::string name =
            fmt::format("destruct/{}/{}/{}", shape.name, phi_method_name(method.method), size.insts);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [&shape, method, size](benchmark::State& state) { run(state, shape, method.method, size.insts); })
            ->Iterations(size.iterations)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
