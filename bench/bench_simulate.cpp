// The simulator: operations a second on loops of `tiny`, one by one and in packets, beside the interpreter on
// the same code.
#include <benchmark/benchmark.h>

#include "psi/interp/interpret.h"
#include "psi/simulate/simulate.h"
#include "psi/target/description.h"
#include "psi/target/target.h"
#include "psi/text/text.h"

namespace {

using namespace psi;

constexpr std::string_view kProgram = R"(func $selected(%n: i32) -> i32 ssa target tiny {
@entry:
  %zero = tiny.mov 0
  tiny.jmp @loop
@loop:
  %i = phi [@entry: %zero], [@next: %i1]
  %s = phi [@entry: %zero], [@next: %s2]
  %q = tiny.mul %i, %i
  %x = tiny.xor %i, 85
  %t = tiny.and %x, 15
  %s1 = tiny.add %s, %q
  %odd = tiny.ceq %t, 3
  %odd ? tiny.jmp @rare
  tiny.jmp @often
@often:
  %s3 = tiny.add %s1, %t
  tiny.jmp @next
@rare:
  %s4 = tiny.sub %s1, %x
  tiny.jmp @next
@next:
  %s2 = phi [@often: %s3], [@rare: %s4]
  %i1 = tiny.add %i, 1
  %more = tiny.clt %i1, %n
  %more ? tiny.jmp @loop
  tiny.jmp @done
@done:
  tiny.ret undef, %s2
}

func $packed(%r0: i32) -> i32 allocated target tiny {
@entry:
  %r1 = tiny.mov 0
  %r2 = tiny.mov 0 ;;
  tiny.jmp @loop ;;
@loop:
  %r3 = tiny.mul %r1, %r1
  %r4 = tiny.xor %r1, 85 ;;
  %r5 = tiny.and %r4, 15
  %r1 = tiny.add %r1, 1 ;;
  %p0 = tiny.ceq %r5, 3
  %p1 = tiny.clt %r1, %r0 ;;
  %p0 ? %r5 = tiny.mov 7
  %r2 = tiny.add %r2, %r3 ;;
  %r2 = tiny.add %r2, %r5
  %p1 ? tiny.jmp @loop ;;
  tiny.jmp @done ;;
@done:
  tiny.ret undef, %r2 ;;
}
)";

constexpr int64_t kIterations = 1'000'000;

Module program() {
  const TargetInstructionSets sets(TargetTable::builtin());
  Result<Module> module = parse(kProgram, nullptr, &sets);
  return std::move(*module);
}

void simulates(benchmark::State& state, std::string_view function, uint64_t busy) {
  Module module = program();
  MachineTiming timing = timing_of(*find_target("tiny")->description);
  timing.classes[timing.classes.size() - 1].busy = static_cast<uint32_t>(busy);
  std::vector<Value> arguments = {{kIterations, false}};
  double operations = 0;
  for (auto _ : state) {
    Simulation made = simulate(module, *module.find_symbol(function), arguments, timing);
    if (!made.outcome.returned()) state.SkipWithError("does not return");
    operations = static_cast<double>(made.total.operations);
  }
  state.counters["operations/s"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
}

void interprets(benchmark::State& state, std::string_view function) {
  Module module = program();
  std::vector<Value> arguments = {{kIterations, false}};
  for (auto _ : state) {
    if (!interpret(module, *module.find_symbol(function), arguments).returned())
      state.SkipWithError("stopped");
  }
}

BENCHMARK_CAPTURE(simulates, selected, "selected", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulates, packed, "packed", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulates, packed_busy_slots, "packed", 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interprets, selected, "selected")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interprets, packed, "packed")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
