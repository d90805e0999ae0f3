// Data flow on predicates, on a generated function of N instructions with guards, in plain form and in SSA
// form:
//
//     live|reaching|...|interference/SCOPE/FORM/N
//     dependences/SCOPE/plain/N
//
// `ns` is the time for an instruction; `classic` the same of Liveness, which knows no predicates.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "programs.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/live/liveness.h"
#include "psi/ssa/construct.h"
#include "psi/view/flow_text.h"
#include "shapes.h"

namespace {

using namespace psi;

// Bit vectors between blocks grow with blocks times items, so that a million would measure little else.
constexpr uint64_t kSizes[] = {1'000, 10'000, 100'000};

struct Subject {
  Subject(uint64_t size, bool is_ssa) : module(bench::one_function(size)) {
    SymbolId largest = bench::largest_function(module);
    function = &module.function(largest);
    if (!is_ssa) return;
    Analyses analyses(*function);
    Counters counters;
    StepTimes times;
    construct(*function, analyses, {}, counters, times);
  }
  Module module;
  Function* function;
};

double nanoseconds_of(const std::function<void()>& work, uint64_t insts) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
         static_cast<double>(insts);
}

using Work = std::function<void(const Function&, Analyses&)>;

void add(std::string name, uint64_t size, bool is_ssa, Work work) {
  name += fmt::format("/{}/{}", is_ssa ? "ssa" : "plain", size);
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Subject subject(size, is_ssa);
        Analyses analyses(*subject.function);
        analyses.get<Order>();
        analyses.get<Dominators>();
        uint64_t insts = subject.function->num_insts();
        double best = 1e18, classic = 1e18;
        for (auto _ : state) {
          best = std::min(best, nanoseconds_of([&] { work(*subject.function, analyses); }, insts));
          classic = std::min(classic, nanoseconds_of(
                                          [&] {
                                            Liveness liveness(*subject.function, analyses.get<Cfg>(),
                                                              analyses.get<Order>());
                                            benchmark::DoNotOptimize(liveness);
                                          },
                                          insts));
        }
        state.counters["ns"] = best;
        state.counters["classic"] = classic;
      })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(3);
}

void add_all() {
  constexpr FlowProblem kProblems[] = {FlowProblem::Liveness, FlowProblem::ReachingDefinitions,
                                       FlowProblem::UpwardExposedUses, FlowProblem::DownwardExposedUses,
                                       FlowProblem::AvailableExpressions};
  for (uint64_t size : kSizes) {
    for (bool is_ssa : {false, true}) {
      for (FlowScope scope : {FlowScope::Blind, FlowScope::Local, FlowScope::Global}) {
        if (scope == FlowScope::Global && !is_ssa) continue;
        for (FlowProblem problem : kProblems) {
          add(fmt::format("{}/{}", flow_problem_name(problem), flow_scope_name(scope)), size, is_ssa,
              [=](const Function& function, Analyses& analyses) {
                PredicateFlow flow(function, analyses, problem, scope);
                benchmark::DoNotOptimize(flow);
              });
        }
        add(fmt::format("interference/{}", flow_scope_name(scope)), size, is_ssa,
            [=](const Function& function, Analyses& analyses) {
              Interference interference(function, analyses, scope);
              benchmark::DoNotOptimize(interference);
            });
        if (is_ssa) continue;
        add(fmt::format("dependences/{}", flow_scope_name(scope)), size, is_ssa,
            [=](const Function& function, Analyses&) {
              for (BlockId b : function.layout()) {
                DependenceGraph graph(function, b, scope);
                benchmark::DoNotOptimize(graph);
              }
            });
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::keep_memory();
  add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
