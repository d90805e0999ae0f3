// Out of SSA form, on functions of 10^3 to 10^6 instructions:
//
//     destruct/SHAPE/METHOD/N
//
// Of the work alone; a fresh copy of the function, which `construct` has brought into SSA form, is made
// outside. `ns_per_inst` is the best iteration's, `structures_per_inst` the bytes of what tells where
// registers are live and which interfere, at their largest, both for an instruction of the function in SSA
// form, and `copies` are those left. Sizes at which live ranges, an interference graph or sets of live
// registers would take gigabytes are left out.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "programs.h"
#include "psi/destruct/destruct.h"
#include "psi/ir/builder.h"
#include "psi/ssa/construct.h"
#include "shapes.h"

namespace {

using namespace psi;

struct Size {
  uint64_t insts;
  int64_t iterations;
};
constexpr std::array<Size, 5> kSizes = {
    {{1'000, 50}, {10'000, 10}, {100'000, 3}, {300'000, 2}, {1'000'000, 1}}};

constexpr std::array kMethods = {PhiMethod::Unified,   PhiMethod::Boissinot, PhiMethod::Briggs,
                                 PhiMethod::Sreedhar3, PhiMethod::Sreedhar2, PhiMethod::Naive};

// How far a method goes: sets of live registers grow with the square of the size, unless there are few blocks
// or most registers are live in few of them. In the last two shapes most are live nearly everywhere.
uint64_t largest(const bench::Shape& shape, PhiMethod method) {
  bool has_sets = method == PhiMethod::Sreedhar2 || method == PhiMethod::Sreedhar3;
  if (shape.name == "generated" || shape.name == "variables") return has_sets ? 10'000 : 100'000;
  if (method == PhiMethod::Sreedhar2) return 10'000;
  if (method == PhiMethod::Briggs) return 100'000;
  bool has_small_sets = shape.name == "chain" || shape.name == "guarded";
  return has_sets && !has_small_sets ? 300'000 : 1'000'000;
}

// A chain of if/else of one variable: all copies end up in one web.
Module one_web(uint64_t insts) {
  Module module;
  Function& function = module.add_function(module.intern_symbol("f"));
  function.signature = {Type::i32, {Type::i32}, false};
  Reg v = function.add_reg(Type::i32);
  function.params = {v};
  Builder builder(function);
  builder.at(function.add_block());
  for (uint64_t i = 0; i < std::max<uint64_t>(insts / 6, 1); ++i) {
    BlockId then = function.add_block(), otherwise = function.add_block(), join = function.add_block();
    Operand step = function.literal(Type::i32, i + 1);
    builder.br(Operand::reg(builder.cmp(Cond::lt, Type::i32, Operand::reg(v), step)), then, otherwise);
    for (BlockId arm : {then, otherwise}) {
      builder.at(arm);
      builder.into(v);
      builder.op(arm == then ? Opcode::Add : Opcode::Xor, Type::i32, {Operand::reg(v), step});
      builder.br(join);
    }
    builder.at(join);
  }
  builder.ret(Operand::reg(v));
  return module;
}

std::vector<bench::Shape> all_shapes() {
  std::vector<bench::Shape> shapes(bench::shapes().begin(), bench::shapes().end());
  shapes.push_back({"one-web", one_web});
  return shapes;
}

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
  CopiesLeft left;
  for (auto _ : state) {
    Function function = ssa;
    Analyses analyses(function);
    StepTimes times;
    counters = {};
    auto start = std::chrono::steady_clock::now();
    DestructOptions options;
    options.method = method;
    left = destruct_ssa(function, analyses, options, counters, times);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  state.counters["ns_per_inst"] = best * 1e9 / size;
  state.counters["structures_per_inst"] =
      static_cast<double>(counters["liveness and interference bytes"]) / size;
  state.counters["copies"] = static_cast<double>(left.copies);
}

}  // namespace

int main(int argc, char** argv) {
  bench::keep_memory();
  const std::vector<bench::Shape> shapes = all_shapes();
  for (const bench::Shape& shape : shapes) {
    for (PhiMethod method : kMethods) {
      for (Size size : kSizes) {
        if (size.insts > largest(shape, method)) continue;
        std::string name = fmt::format("destruct/{}/{}/{}", shape.name, phi_method_name(method), size.insts);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [&shape, method, size](benchmark::State& state) { run(state, shape, method, size.insts); })
            ->Iterations(size.iterations)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
