// psic against llvm-as on the same program, instruction for instruction: whole processes that read a file,
// parse and verify it, and write nothing. Run them in turns, so that a busy machine is unfair to neither.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "programs.h"

namespace {

double seconds(const std::string& command) {
  auto start = std::chrono::steady_clock::now();
  if (std::system(command.c_str()) != 0) return -1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void parse_and_verify(benchmark::State& state) {
  psi::bench::Twins twins = psi::bench::twins(static_cast<uint64_t>(state.range(0)));
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("psi-bench-{}", getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "twin.psi") << twins.psi;
  std::ofstream(folder / "twin.ll") << twins.llvm;
  std::string ours = fmt::format("{} check {}", PSIC, (folder / "twin.psi").string());
  std::string theirs = fmt::format("{} -disable-output {}", LLVM_AS, (folder / "twin.ll").string());
  double best_psic = 1e9, best_llvm = 1e9;
  for (auto _ : state) {
    double our_time = seconds(ours), their_time = seconds(theirs);
    if (our_time < 0 || their_time < 0) {
      state.SkipWithError("a command failed");
      break;
    }
    best_psic = std::min(best_psic, our_time);
    best_llvm = std::min(best_llvm, their_time);
    state.SetIterationTime(our_time);
  }
  std::filesystem::remove_all(folder);
  state.counters["insts"] = static_cast<double>(twins.insts);
  state.counters["psic_s"] = best_psic;
  state.counters["llvm_as_s"] = best_llvm;
  state.counters["speedup"] = best_llvm / best_psic;
}

BENCHMARK(parse_and_verify)
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
