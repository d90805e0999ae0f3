// Parse, print, verify and interpret on generated programs of 10^4 to 10^6 instructions. Counters:
// instructions a second, and for parsing the bytes of memory that an instruction takes.
#include <benchmark/benchmark.h>

#include "programs.h"
#include "psi/interp/interpret.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace {

using namespace psi;

const Function& largest(const Module& module) {
  const Function* found = nullptr;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = module.function(symbol);
    if (!found || function.num_insts() > found->num_insts()) found = &function;
  }
  return *found;
}

void count_insts(benchmark::State& state, double insts) {
  state.counters["insts/s"] = benchmark::Counter(insts, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["time/inst"] =
      benchmark::Counter(insts, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Plain form, registers as numbers; and SSA form with names for everything.
enum class Program { Plain, NamedSsa };

Module program(Program kind, int64_t insts) {
  if (kind == Program::Plain) return bench::one_function(static_cast<uint64_t>(insts));
  return *psi::parse(bench::twins(static_cast<uint64_t>(insts)).psi);
}

template <Program kind>
void parse(benchmark::State& state) {
  std::string text = psi::print(program(kind, state.range(0)));
  double insts = 0, bytes = 0;
  for (auto _ : state) {
    Result<Module> module = psi::parse(text);
    if (!module) state.SkipWithError("does not parse");
    insts = largest(*module).num_insts();
    bytes = static_cast<double>(largest(*module).memory());
  }
  count_insts(state, insts);
  state.counters["bytes/inst"] = bytes / insts;
}

template <Program kind>
void print(benchmark::State& state) {
  Module module = program(kind, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(psi::print(module));
  count_insts(state, largest(module).num_insts());
}

template <Program kind>
void verifies(benchmark::State& state) {
  Module module = program(kind, state.range(0));
  for (auto _ : state) {
    psi::Result<void> verified = psi::verifies(module);
    if (!verified) state.SkipWithError("does not verify");
  }
  count_insts(state, largest(module).num_insts());
}

// Generated code of all kinds, executed over and over; decoding it for the first time is part of the work.
void interpret(benchmark::State& state) {
  Module module = bench::one_function_again(static_cast<uint64_t>(state.range(0)));
  std::array argument{Value{100, false}};
  double executed = 0;
  for (auto _ : state) {
    Outcome outcome = psi::interpret(module, *module.find_symbol("again"), argument);
    if (outcome.status != Outcome::Status::Returned) state.SkipWithError(outcome.message.c_str());
    executed = static_cast<double>(outcome.stats.total_executed() + outcome.stats.total_nullified());
  }
  count_insts(state, executed);
}

// A loop of ten simple instructions: the interpreter without the cost of meeting code for the first time.
void interpret_loop(benchmark::State& state) {
  constexpr std::string_view kText = R"(func $main(%n: i64) -> i64 {
@entry:
  %i = mov.i64 0
  %s = mov.i64 1
  br @loop
@loop:
  %a = mul.i64 %s, 6364136223846793005
  %s = add.i64 %a, 1442695040888963407
  %b = lshr.i64 %s, 33
  %p, %q = cmpp.un.uc.lt.i64 %b, 1000000000
  %p ? %s = add.i64 %s, %b
  %q ? %s = xor.i64 %s, %b
  %i = add.i64 %i, 1
  %c = cmp.lt.i64 %i, %n
  br %c, @loop, @exit
@exit:
  ret %s
}
)";
  Module module = *psi::parse(kText);
  std::array argument{Value{static_cast<uint64_t>(state.range(0)), false}};
  double executed = 0;
  for (auto _ : state) {
    Outcome outcome = psi::interpret(module, *module.find_symbol("main"), argument);
    if (outcome.status != Outcome::Status::Returned) state.SkipWithError(outcome.message.c_str());
    executed = static_cast<double>(outcome.stats.total_executed() + outcome.stats.total_nullified());
  }
  count_insts(state, executed);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->RangeMultiplier(10)->Range(10'000, 1'000'000)->Unit(benchmark::kMillisecond);
}

BENCHMARK(parse<Program::Plain>)->Apply(sizes);
BENCHMARK(parse<Program::NamedSsa>)->Apply(sizes);
BENCHMARK(print<Program::Plain>)->Apply(sizes);
BENCHMARK(print<Program::NamedSsa>)->Apply(sizes);
BENCHMARK(verifies<Program::Plain>)->Apply(sizes);
BENCHMARK(verifies<Program::NamedSsa>)->Apply(sizes);
BENCHMARK(interpret)->Apply(sizes);
BENCHMARK(interpret_loop)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
