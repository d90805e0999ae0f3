// Programs before and after destruct.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

#include "destruct_testing.h"
#include "psi/destruct/destruct.h"
#include "psi/pass/analyses.h"

namespace psi::testing {

inline constexpr std::array kPhiMethods = {PhiMethod::Naive,     PhiMethod::Briggs,    PhiMethod::Sreedhar2,
                                           PhiMethod::Sreedhar3, PhiMethod::Boissinot, PhiMethod::Unified};

inline Counters destruct_all(Module& module, const DestructOptions& options) {
  Counters counters;
  StepTimes times;
  for_each_body(module, [&](Function& function) {
    Analyses analyses(function);
    destruct_ssa(function, analyses, options, counters, times);
    EXPECT_EQ(function.form, Form::Plain);
  });
  EXPECT_TRUE(is_valid(module));
  return counters;
}

inline ::testing::AssertionResult refined(const Module& before, const Module& after, SymbolId symbol,
                                          std::span<const Value> arguments) {
  Outcome outcome = run_recorded(before, symbol, arguments);
  // Copies may make it slower, but not by this much.
  uint64_t fuel = 100 * (outcome.stats.total_executed() + outcome.stats.total_nullified()) + 1000;
  Result<void> refined = refines(outcome, run_recorded(after, symbol, arguments, fuel));
  if (refined) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << refined.message() << "\n" << print(before) << "\n" << print(after);
}

}  // namespace psi::testing
