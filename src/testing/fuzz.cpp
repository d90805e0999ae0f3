#include "psi/testing/fuzz.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

#include "psi/target/target.h"
#include "psi/testing/reduce.h"
#include "psi/text/text.h"
#include "testing/fuzz_check.h"
#include "testing/random.h"
#include "testing/random_passes.h"
#include "testing/reducer/edit.h"

namespace psi {
namespace {

using testing::Check;
using testing::Run;
using Kind = FuzzFailure::Kind;

constexpr uint64_t kSmallestProgram = 10;
// The most functions besides $main that are run, and runs of each.
constexpr size_t kMaxFunctions = 4;
constexpr int kRunsPerFunction = 2;

GenerateOptions choose_program(const FuzzOptions& options, uint64_t index) {
  Random random(derive_seed(options.seed, index));
  GenerateOptions program;
  program.seed = random.next();
  // As many small programs as large ones.
  uint64_t largest = std::max(options.size, kSmallestProgram);
  int bits = static_cast<int>(random.range(std::bit_width(kSmallestProgram), std::bit_width(largest)));
  program.size = static_cast<uint64_t>(random.range(int64_t{1} << (bits - 1), (int64_t{1} << bits) - 1));
  program.size = std::clamp(program.size, kSmallestProgram, largest);
  program.shape = options.shapes.empty() ? Shape::Mixed : random.element(options.shapes);
  if (random.percent(25)) {
    // Leaving out some features makes the others more frequent.
    for (bool* part : {&program.memory, &program.calls, &program.floats, &program.guards, &program.switches,
                       &program.externals}) {
      *part = random.percent(70);
    }
  }
  program.names = random.percent(30);
  program.annotations = random.percent(20);
  program.pointer_bits = options.pointer_bits ? options.pointer_bits : random.percent(25) ? 32 : 64;
  return program;
}

std::vector<Run> choose_runs(const Module& module, uint64_t seed) {
  std::vector<Run> runs;
  std::vector<SymbolId> others;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = module.function(symbol);
    if (function.is_declaration() || !takes_arguments(function)) continue;
    if (module.name(symbol) == "main") {
      runs.push_back({symbol, generate_arguments(function, seed)});
    } else {
      others.push_back(symbol);
    }
  }
  Random random(seed);
  while (others.size() > kMaxFunctions)
    others.erase(others.begin() + random.below(static_cast<uint32_t>(others.size())));
  for (SymbolId symbol : others) {
    const Function& function = module.function(symbol);
    int times = function.params.empty() ? 1 : kRunsPerFunction;
    for (int i = 0; i < times; ++i) runs.push_back({symbol, generate_arguments(function, random.next())});
  }
  return runs;
}

// The same program with the arguments of the failing run written into the function, which then has no
// parameters: the reduced program needs no arguments, and more of it can go.
Module with_constant_arguments(const Module& module, const Run& run) {
  Module constant = module;
  Function& function = constant.function(run.function);
  std::vector<Reg> params = function.params;
  std::vector<testing::Item> items;
  for (uint32_t i = 0; i < params.size(); ++i) items.push_back({run.function, 0, i});
  testing::remove_params(constant, items);
  std::vector<InstId> list;
  for (size_t i = 0; i < params.size(); ++i) {
    Inst inst;
    inst.op = Opcode::Mov;
    inst.type = function.type(params[i]);
    inst.results[0] = params[i];
    list.push_back(function.add_inst(inst, std::array{function.literal(inst.type, run.arguments[i].bits)}));
  }
  std::span<const InstId> old = function.insts(function.entry());
  list.insert(list.end(), old.begin(), old.end());
  function.set_insts(function.entry(), list);
  return constant;
}

class Fuzzer {
 public:
  Fuzzer(const PassList& passes, const FuzzOptions& options)
      : passes_(passes), options_(options), start_(std::chrono::steady_clock::now()) {}

  FuzzReport run() {
    for (uint64_t i = 0; i < options_.count; ++i) {
      if (options_.max_seconds > 0 && seconds() > options_.max_seconds) break;
      if (options_.stop && options_.stop()) break;
      GenerateOptions program = choose_program(options_, i);
      if (options_.pointer_bits == 0 && !takes_pointers_of(program.pointer_bits)) {
        program.pointer_bits = program.pointer_bits == 64 ? 32 : 64;
      }
      if (options_.random_passes) {
        const PassTable& table = options_.table ? *options_.table : PassTable::builtin();
        const TargetTable& targets = options_.targets ? *options_.targets : TargetTable::builtin();
        passes_ = testing::random_passes(table, targets, program.pointer_bits, ~program.seed);
      }
      test(program);
      report_progress(0);
      if (options_.max_failures > 0 && report_.failures.size() >= options_.max_failures) break;
    }
    report_.seconds = seconds();
    return std::move(report_);
  }

 private:
  // Do the targets of the passes?
  bool takes_pointers_of(unsigned bits) const {
    const TargetTable& targets = options_.targets ? *options_.targets : TargetTable::builtin();
    return options_.random_passes || std::ranges::all_of(passes_, [&](const PassCall& call) {
             return std::ranges::all_of(call.pass->options, [&](const PassOption& option) {
               bool is_target = option.kind == PassOption::Kind::Target;
               const Target* target = is_target ? targets.find(call.arguments.target(option.name)) : nullptr;
               return !target || target->takes_pointers_of(bits);
             });
           });
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void report_progress(uint64_t reduction_tests) const {
    if (!options_.progress) return;
    options_.progress({report_.programs, report_.failures.size(), seconds(), reduction_tests});
  }

  void test(const GenerateOptions& program) {
    Module module = generate(program);
    std::optional<FuzzFailure> failure = fuzz_module(module, passes_, program.seed, options_, report_);
    if (!failure) return;
    failure->program = program;
    if (options_.random_passes) drop_passes(module, *failure);
    failure->passes = testing::text_of(passes_);
    if (options_.reduce && failure->kind != Kind::WrongForm) reduce_failure(module, *failure);
    report_.failures.push_back(std::move(*failure));
  }

  // Keeps only the passes that the failure needs.
  void drop_passes(const Module& module, const FuzzFailure& failure) {
    Run run;
    if (!failure.function.empty()) run = {*module.find_symbol(failure.function), failure.arguments};
    for (size_t i = passes_.size(); i-- > 0;) {
      PassList fewer = passes_;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
      if (find_misplaced(fewer)) continue;
      if (Check(fewer, options_).fails_alike(module, run, failure)) passes_ = std::move(fewer);
    }
  }

  void reduce_failure(const Module& module, FuzzFailure& failure) {
    Run run;
    bool needs_run = !failure.function.empty();
    if (needs_run) run = {*module.find_symbol(failure.function), failure.arguments};
    Check check(passes_, options_);
    Module start = module;
    if (needs_run) {
      // Enough for the original, and a bound for programs that reduction has made endless.
      check.limit_fuel(module, run);
      Module constant = with_constant_arguments(module, run);
      if (check.fails_alike(constant, {run.function, {}}, failure)) {
        start = std::move(constant);
        run.arguments.clear();
      }
    }
    ReduceOptions reduce_options;
    reduce_options.max_tests = options_.max_reduction_tests;
    reduce_options.max_seconds = options_.max_reduction_seconds;
    reduce_options.verify = failure.kind != Kind::Generator || needs_run;
    reduce_options.progress = [&](const ReduceProgress& progress) { report_progress(progress.tests); };
    reduce_options.stop = options_.stop;
    auto still_fails = [&](const Module& candidate) { return check.fails_alike(candidate, run, failure); };
    ReduceResult result = reduce(std::move(start), still_fails, reduce_options);
    if (!result.interesting) return;
    // Running a callee of the reduced program may suffice.
    for (SymbolId symbol : result.module.declarations()) {
      if (!needs_run || symbol == run.function || !run.arguments.empty()) continue;
      if (!check.fails_alike(result.module, {symbol, {}}, failure)) continue;
      run.function = symbol;
      result = reduce(std::move(result.module), still_fails, reduce_options);
      break;
    }
    if (still_fails(result.module)) failure.reduced_why = check.why();
    failure.reduced = print(result.module);
    failure.reduced_size = count_instructions(result.module);
    if (needs_run) failure.reduced_function = result.module.name(run.function);
  }

  PassList passes_;
  const FuzzOptions& options_;
  std::chrono::steady_clock::time_point start_;
  FuzzReport report_;
};

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"generator",  "text",   "repeat",
                                                      "wrong-form", "broken", "mismatch"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<FuzzFailure> fuzz_module(const Module& module, const PassList& passes, uint64_t seed,
                                       const FuzzOptions& options, FuzzReport& report) {
  ++report.programs;
  report.instructions += count_instructions(module);
  Check check(passes, options);
  std::optional<FuzzFailure> failure = check.test(module, choose_runs(module, seed));
  report.runs += check.runs();
  report.steps += check.steps();
  report.skipped += check.skipped();
  if (failure) failure->original = print(module);
  return failure;
}

FuzzReport fuzz(const PassList& passes, const FuzzOptions& options) { return Fuzzer(passes, options).run(); }

}  // namespace psi
