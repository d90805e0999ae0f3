// SSA construction on functions of 10^3 to 10^6 instructions:
//
//     construct/SHAPE/ALGORITHM/N     flavour/FLAVOUR/SHAPE/N     share/off|on/SHAPE/N
//     dominators/ALGORITHM/SHAPE/N    stacks/DISCIPLINE/SHAPE/N   fold/on|off/SHAPE/N
//
// Times are those of the work alone; a fresh copy of the function is made outside. `ns_per_inst` is the best
// iteration's, for an instruction of the plain function; so are the steps of the construction. Sizes at which
// an algorithm takes too long are left out (kLimits). Memory once used is kept (keep_memory).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "programs.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frontiers.h"
#include "psi/ssa/construct.h"
#include "psi/verify/verify.h"
#include "shapes.h"

namespace {

using namespace psi;

struct Algorithm {
  std::string_view name;
  std::optional<PlacementAlgorithm> place;
};
constexpr std::array<Algorithm, 5> kAlgorithms = {{
    {"adt", PlacementAlgorithm::Adt},
    {"dj-graph", PlacementAlgorithm::DjGraph},
    {"cytron", PlacementAlgorithm::Cytron},
    {"cytron-ferrante", PlacementAlgorithm::CytronFerrante},
    {"braun", std::nullopt},
}};

struct Size {
  uint64_t insts;
  int64_t iterations;
};
constexpr std::array<Size, 4> kSizes = {{{1'000, 200}, {10'000, 20}, {100'000, 5}, {1'000'000, 3}}};

// Where more would take longer than some seconds, the largest size to measure; from 10^5 on it is run once.
struct Limit {
  std::string_view shape;
  std::string_view algorithm;
  uint64_t insts;
  std::string_view why;
};
constexpr std::string_view kWholeGraph = "every variable costs the whole graph";
constexpr std::string_view kLongPaths = "a phi at each join between a definition and a read far away";
constexpr std::string_view kDeepMeetings = "the walk to where two paths meet is as long as the tree is deep";
constexpr Limit kLimits[] = {
    {"generated", "dj-graph", 100'000, kWholeGraph},
    {"generated", "cytron-ferrante", 100'000, kWholeGraph},
    {"generated", "braun", 100'000, kLongPaths},
    {"ladder", "cytron", 10'000, "the frontiers are quadratic"},
    {"ladder", "iterative", 100'000, kDeepMeetings},
    {"chain", "iterative", 100'000, kDeepMeetings},
    {"checks", "iterative", 100'000, kDeepMeetings},
    {"variables", "dj-graph", 100'000, kWholeGraph},
    {"variables", "cytron-ferrante", 100'000, kWholeGraph},
    {"variables", "braun", 10'000, kLongPaths},
};

// How often to measure; 0: not at all.
int64_t iterations(std::string_view shape, std::string_view algorithm, Size size) {
  for (const Limit& limit : kLimits) {
    if (limit.shape != shape || limit.algorithm != algorithm) continue;
    if (size.insts > limit.insts) return 0;
    if (size.insts == limit.insts && size.insts >= 100'000) return 1;
  }
  return size.iterations;
}

// --- Measuring ----------------------------------------------------------------------------------------

// The last function that was asked for. Benchmarks of one function are registered one after the other, so
// that each is made once.
class Programs {
 public:
  const Function& function(const bench::Shape& shape, uint64_t insts) {
    if (shape_ != shape.name || insts_ != insts) {
      module_ = shape.make(insts);
      shape_ = shape.name;
      insts_ = insts;
    }
    return module_.function(bench::largest_function(module_));
  }

 private:
  Module module_;
  std::string_view shape_;
  uint64_t insts_ = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The CSV reporter wants no counter that the first benchmark does not have: constructions, which have all of
// them, are registered first.
void measure_construct(benchmark::State& state, const Function& plain, const ConstructOptions& options) {
  double best = std::numeric_limits<double>::infinity();
  Counters counters;
  StepTimes steps;
  for (auto _ : state) {
    Function function = plain;
    Analyses analyses(function);
    Counters counted;
    StepTimes timed;
    auto start = std::chrono::steady_clock::now();
    construct(function, analyses, options, counted, timed);
    double seconds = seconds_since(start);
    state.SetIterationTime(seconds);
    if (seconds >= best) continue;
    best = seconds;
    counters = counted;
    steps = timed;
  }
  double insts = plain.num_insts();
  state.SetItemsProcessed(state.iterations() * plain.num_insts());
  state.counters["ns_per_inst"] = best * 1e9 / insts;
  state.counters["phis"] = static_cast<double>(counters["phis"]);
  state.counters["psis"] = static_cast<double>(counters["psis"]);
  for (const char* step :
       {"graph", "variables", "placement", "pruning", "renaming", "on the fly", "compaction"}) {
    state.counters[step] = 0;
  }
  for (const auto& [step, seconds] : steps.all()) state.counters[step] = seconds * 1e9 / insts;
}

void measure_dominators(benchmark::State& state, const Function& plain, DominatorAlgorithm algorithm) {
  double best = std::numeric_limits<double>::infinity();
  Cfg cfg(plain);
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    Dominators dominators(cfg, algorithm);
    double seconds = seconds_since(start);
    benchmark::DoNotOptimize(dominators);
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  state.SetItemsProcessed(state.iterations() * plain.num_insts());
  state.counters["ns_per_inst"] = best * 1e9 / plain.num_insts();
}

// --- Benchmarks ---------------------------------------------------------------------------------------

class Suite {
 public:
  explicit Suite(Programs& programs) : programs_(programs) {}

  void add_all() {
    for (const bench::Shape& shape : bench::shapes()) {
      for (Size size : kSizes) add_shape(shape, size);
    }
  }

 private:
  void add_shape(const bench::Shape& shape, Size size) {
    for (const Algorithm& algorithm : kAlgorithms) {
      ConstructOptions options;
      options.place = algorithm.place;
      add_construct({"construct", shape.name, algorithm.name}, shape, size, algorithm.name, options);
    }
    if (shape.name == "generated") add_options(shape, size);
    if (shape.name == "generated" || shape.name == "variables") {
      ConstructOptions options;
      add_construct({"share", "off", shape.name}, shape, size, "adt", options);
      options.share = true;
      add_construct({"share", "on", shape.name}, shape, size, "adt", options);
    }
    add_dominators("semi-nca", shape, size, DominatorAlgorithm::SemiNca);
    add_dominators("iterative", shape, size, DominatorAlgorithm::Iterative);
  }

  void add_options(const bench::Shape& shape, Size size) {
    ConstructOptions options;
    options.flavour = Flavour::Minimal;
    add_construct({"flavour", "minimal", shape.name}, shape, size, "adt", options);
    options.flavour = Flavour::SemiPruned;
    add_construct({"flavour", "semi-pruned", shape.name}, shape, size, "adt", options);
    options.flavour = Flavour::Pruned;
    add_construct({"flavour", "pruned", shape.name}, shape, size, "adt", options);
    add_construct({"stacks", "push-once", shape.name}, shape, size, "adt", options);
    options.stacks = NameStacks::PushEvery;
    add_construct({"stacks", "push-every", shape.name}, shape, size, "adt", options);
    options.stacks = NameStacks::PushOnce;
    add_construct({"fold", "on", shape.name}, shape, size, "adt", options);
    options.fold = false;
    add_construct({"fold", "off", shape.name}, shape, size, "adt", options);
  }

  void add_construct(std::array<std::string_view, 3> name, const bench::Shape& shape, Size size,
                     std::string_view algorithm, const ConstructOptions& options) {
    size.iterations = iterations(shape.name, algorithm, size);
    add(name, size, [this, shape, size, options](benchmark::State& state) {
      measure_construct(state, programs_.function(shape, size.insts), options);
    });
  }

  void add_dominators(std::string_view name, const bench::Shape& shape, Size size,
                      DominatorAlgorithm algorithm) {
    size.iterations = iterations(shape.name, name, size);
    add({"dominators", name, shape.name}, size, [this, shape, size, algorithm](benchmark::State& state) {
      measure_dominators(state, programs_.function(shape, size.insts), algorithm);
    });
  }

  template <class Measure>
  void add(std::array<std::string_view, 3> name, Size size, Measure measure) {
    if (size.iterations == 0) return;
    std::string full = fmt::format("{}/{}/{}/{}", name[0], name[1], name[2], size.insts);
    benchmark::RegisterBenchmark(full.c_str(), measure)
        ->Iterations(size.iterations)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }

  Programs& programs_;
};

// --- What is measured must be right -------------------------------------------------------------------

void require(const Module& module, std::string_view shape, std::string_view what) {
  Result<void> verified = verifies(module);
  if (verified) return;
  fmt::print(stderr, "bench_ssa: {} does not verify: {}\n{}", shape, what, render(verified, shape, ""));
  std::exit(1);
}

uint64_t frontier_size(const Module& module) {
  Analyses analyses(module.function(bench::largest_function(module)));
  return analyses.get<DominanceFrontiers>().total_size();
}

void check() {
  for (const bench::Shape& shape : bench::shapes()) {
    require(shape.make(1000), shape.name, "plain form");
    for (const Algorithm& algorithm : kAlgorithms) {
      Module module = shape.make(1000);
      Function& function = module.function(bench::largest_function(module));
      Analyses analyses(function);
      ConstructOptions options;
      options.place = algorithm.place;
      Counters counters;
      StepTimes times;
      construct(function, analyses, options, counters, times);
      require(module, shape.name, algorithm.name);
    }
    // Twice the nest has four times the frontiers, less a little for what is not nested.
    if (shape.name == "ladder" && frontier_size(shape.make(2000)) < 3.9 * frontier_size(shape.make(1000))) {
      fmt::print(stderr, "bench_ssa: the frontiers of the ladder are not quadratic\n");
      std::exit(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::keep_memory();
  check();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  Programs programs;
  Suite suite(programs);  // outlives what it registers
  suite.add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
