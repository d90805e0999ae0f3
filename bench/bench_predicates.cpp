// Predicates of blocks of four shapes (predicate_shapes.cpp) with N predicates:
//
//     build/SHAPE/N                  terms of all predicates, then their symbols in the partition graph
//     is_disjoint|is_subset/SHAPE/N  a question to the graph about two of the symbols
//     lub_sum|lub_diff/SHAPE/N       of a symbol and an expression of up to four
//     disjoint/ENGINE/SHAPE/N        a question to a new engine about two of the predicates
//
// `ns` is the time for a predicate, or a question, of the best iteration. `yes` is the share of questions
// with that answer.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "predicate_engines.h"
#include "predicate_subject.h"
#include "programs.h"
#include "psi/analysis/order.h"
#include "psi/predicate/algebra.h"
#include "psi/verify/verify.h"

namespace {

using namespace psi;
using bench::Engine;
using bench::PredicateShape;
using bench::Subject;
using bench::Subjects;

constexpr uint64_t kBuildSizes[] = {100, 1'000, 10'000, 100'000};
constexpr uint64_t kSmall = 20;
constexpr uint64_t kMedium = 100;
constexpr uint64_t kLarge = 10'000;
constexpr uint64_t kEngineSizes[] = {kSmall, 1'000};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// --- Measuring ----------------------------------------------------------------------------------------

// The CSV reporter wants no counter that the first benchmark does not have: builds, which have all of them,
// are registered first.
void measure_build(benchmark::State& state, const PredicateShape& shape, uint64_t size) {
  Module module = shape.make(size);
  const Function& function = bench::only_function(module);
  double best = std::numeric_limits<double>::infinity(), best_terms = best, best_graph = best;
  size_t count = 1, symbols = 0;
  for (auto _ : state) {
    Analyses analyses(function);
    analyses.get<Order>();
    auto start = std::chrono::steady_clock::now();
    Predicates predicates(function, analyses);
    double terms = seconds_since(start);
    std::vector<Term> all = bench::all_terms(function, predicates);
    start = std::chrono::steady_clock::now();
    PartitionGraph graph(predicates.terms());
    for (Term term : all) graph.symbol(term);
    double symbols_made = seconds_since(start);
    state.SetIterationTime(terms + symbols_made);
    best = std::min(best, terms + symbols_made);
    best_terms = std::min(best_terms, terms);
    best_graph = std::min(best_graph, symbols_made);
    count = all.size();
    symbols = graph.num_symbols();
  }
  auto each = [&](double seconds) { return seconds * 1e9 / static_cast<double>(count); };
  state.counters["ns"] = each(best);
  state.counters["terms"] = each(best_terms);
  state.counters["graph"] = each(best_graph);
  state.counters["symbols"] = static_cast<double>(symbols);
  state.counters["yes"] = 0;
}

void report(benchmark::State& state, double seconds, uint64_t yes, size_t questions) {
  state.counters["ns"] = seconds * 1e9 / static_cast<double>(questions);
  state.counters["yes"] = static_cast<double>(yes) / static_cast<double>(questions);
}

// `ask(pair)`, over and over, of many pairs in turn.
template <class Pair, class Ask>
void measure_questions(benchmark::State& state, const std::vector<Pair>& pairs, Ask ask) {
  double best = std::numeric_limits<double>::infinity();
  uint64_t yes = 0;
  for (auto _ : state) {
    yes = 0;
    auto start = std::chrono::steady_clock::now();
    for (const Pair& pair : pairs) yes += ask(pair);
    best = std::min(best, seconds_since(start));
  }
  report(state, best, yes, pairs.size());
}

void measure_is_disjoint(benchmark::State& state, Subject& subject) {
  measure_questions(state, subject.symbol_pairs(),
                    [&](auto pair) { return subject.graph().is_disjoint(pair.first, pair.second); });
}

void measure_is_subset(benchmark::State& state, Subject& subject) {
  measure_questions(state, subject.symbol_pairs(),
                    [&](auto pair) { return subject.graph().is_subset(pair.first, pair.second); });
}

// An expression that starts anew with every fourth symbol.
template <class Combine>
void measure_expressions(benchmark::State& state, Subject& subject, Combine combine) {
  PredicateAlgebra algebra(subject.graph());
  std::vector<std::pair<PredicateExpr, Symbol>> pairs;
  PredicateExpr e;
  for (auto [p, q] : subject.symbol_pairs()) {
    if (pairs.size() % 4 == 0) e = PredicateAlgebra::expr(p);
    pairs.emplace_back(e, q);
    e = algebra.lub_sum(p, e);
  }
  measure_questions(state, pairs, [&](const auto& pair) {
    PredicateExpr result = combine(algebra, pair.first, pair.second);
    benchmark::DoNotOptimize(result);
    return false;
  });
}

void measure_lub_sum(benchmark::State& state, Subject& subject) {
  measure_expressions(state, subject, [](const PredicateAlgebra& algebra, const PredicateExpr& e, Symbol p) {
    return algebra.lub_sum(p, e);
  });
}

void measure_lub_diff(benchmark::State& state, Subject& subject) {
  measure_expressions(state, subject, [](const PredicateAlgebra& algebra, const PredicateExpr& e, Symbol p) {
    return algebra.lub_diff(e, p);
  });
}

// A new engine each time, for they remember: no question is asked twice, and what is learnt is counted.
void measure_engine(benchmark::State& state, Subject& subject, const Engine& engine) {
  std::vector<std::pair<Term, Term>> pairs = subject.term_pairs();
  if (engine.is_slow) pairs.resize(64);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  double best = std::numeric_limits<double>::infinity();
  uint64_t yes = 0;
  for (auto _ : state) {
    yes = 0;
    auto start = std::chrono::steady_clock::now();
    {
      std::unique_ptr<PredicateEngine> made = engine.make(subject.terms());
      for (auto [a, b] : pairs) yes += made->disjoint(a, b) == Answer::Yes;
    }
    best = std::min(best, seconds_since(start));
  }
  report(state, best, yes, pairs.size());
}

// --- Benchmarks ---------------------------------------------------------------------------------------

void add_builds() {
  for (const PredicateShape& shape : bench::predicate_shapes()) {
    for (uint64_t size : kBuildSizes) {
      auto measure = [shape, size](benchmark::State& state) { measure_build(state, shape, size); };
      benchmark::RegisterBenchmark(fmt::format("build/{}/{}", shape.name, size).c_str(), measure)
          ->Iterations(static_cast<int64_t>(std::max<uint64_t>(200'000 / size, 3)))
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

// The most predicates, up to kSmall, whose graph is small enough to be kept in words.
uint64_t small_size(const PredicateShape& shape) {
  uint64_t size = kSmall;
  while (size > 4 && Subject(shape, size).graph().num_symbols() > 64) --size;
  return size;
}

void add_questions(Subjects& subjects) {
  using Measure = void (*)(benchmark::State&, Subject&);
  constexpr std::pair<std::string_view, Measure> kMeasures[] = {{"is_disjoint", measure_is_disjoint},
                                                                {"is_subset", measure_is_subset},
                                                                {"lub_sum", measure_lub_sum},
                                                                {"lub_diff", measure_lub_diff}};
  for (const PredicateShape& shape : bench::predicate_shapes()) {
    for (uint64_t size : {small_size(shape), kMedium, kLarge}) {
      for (auto [name, measure] : kMeasures) {
        benchmark::RegisterBenchmark(fmt::format("{}/{}/{}", name, shape.name, size).c_str(),
                                     [&subjects, shape, size, measure = measure](benchmark::State& state) {
                                       measure(state, subjects.get(shape, size));
                                     })
            ->Unit(benchmark::kMicrosecond);
      }
    }
    for (uint64_t size : kEngineSizes) {
      for (const Engine& engine : bench::kEngines) {
        benchmark::RegisterBenchmark(fmt::format("disjoint/{}/{}/{}", engine.name, shape.name, size).c_str(),
                                     [&subjects, shape, size, engine](benchmark::State& state) {
                                       measure_engine(state, subjects.get(shape, size), engine);
                                     })
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

void check() {
  for (const PredicateShape& shape : bench::predicate_shapes()) {
    Module module = shape.make(kSmall);
    Result<void> verified = verifies(module);
    if (verified) continue;
    fmt::print(stderr, "bench_predicates: {} does not verify\n{}", shape.name,
               render(verified, shape.name, ""));
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::keep_memory();
  check();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_builds();
  Subjects subjects;  // outlives what is registered
  add_questions(subjects);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
