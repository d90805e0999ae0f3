// The checks of one program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "psi/testing/fuzz.h"

namespace psi::testing {

struct Run {
  SymbolId function;
  std::vector<Value> arguments;
};

class Check {
 public:
  Check(const PassList& passes, const FuzzOptions& options)
      : passes_(passes), targets_(options.targets), fuel_(options.fuel) {}

  // The first failure; nothing if the program passes.
  std::optional<FuzzFailure> test(const Module& module, std::span<const Run> runs);

  // Does the program fail as `failure` does? `run` is the failing run, if there is one.
  bool fails_alike(const Module& module, const Run& run, const FuzzFailure& failure);
  // Limits the fuel of later originals to little more than this run needs.
  void limit_fuel(const Module& module, const Run& run);

  // Of the last failure.
  const std::string& why() const { return why_; }
  uint64_t runs() const { return runs_; }
  uint64_t steps() const { return steps_; }
  uint64_t skipped() const { return skipped_; }

 private:
  std::optional<FuzzFailure> fail(FuzzFailure::Kind kind, std::string why);
  std::optional<FuzzFailure> fail(FuzzFailure::Kind kind, std::string why, const Module& module,
                                  const Run& run);
  Outcome execute(const Module& module, const Run& run, uint64_t fuel);

  const PassList& passes_;
  const TargetTable* targets_;
  uint64_t fuel_;
  std::string why_;
  uint64_t runs_ = 0;
  uint64_t steps_ = 0;
  uint64_t skipped_ = 0;
};

}  // namespace psi::testing
