// Programs as text, run in one call.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/interp/interpret.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi::interp_test {

inline constexpr Value kUndef = {0, true};

inline Module parse_program(std::string_view text) {
  Result<Module> module = parse(text);
  Diagnostics wrong = module ? verifies(*module).diagnostics() : module.diagnostics();
  if (!wrong.has_errors()) return std::move(*module);
  ADD_FAILURE() << render(wrong, "program", text);
  return Module();
}

// Runs $f.
inline Outcome run(const Module& module, const std::vector<Value>& arguments = {},
                   const InterpretOptions& options = {}) {
  std::optional<SymbolId> function = module.find_symbol("f");
  return interpret(module, function.value_or(SymbolId()), arguments, options);
}

inline Outcome run(std::string_view text, const std::vector<Value>& arguments = {},
                   const InterpretOptions& options = {}) {
  return run(parse_program(text), arguments, options);
}

inline bool gives_undef(const Outcome& outcome) {
  return outcome.status == Outcome::Status::Undefined &&
         outcome.message.find("result of the outermost function") != std::string::npos;
}

inline ::testing::AssertionResult returns(const Outcome& outcome, uint64_t bits) {
  if (outcome.status != Outcome::Status::Returned) {
    return ::testing::AssertionFailure() << "did not return: " << outcome.message;
  }
  if (outcome.result != Value{bits, false}) {
    return ::testing::AssertionFailure()
           << fmt::format("returned {:#x}, not {:#x}", outcome.result.bits, bits);
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult stops(const Outcome& outcome, Outcome::Status status,
                                        std::string_view message) {
  if (outcome.status != status) {
    return ::testing::AssertionFailure()
           << "status " << static_cast<int>(outcome.status) << ": " << outcome.message;
  }
  if (outcome.message.find(message) == std::string::npos) {
    return ::testing::AssertionFailure() << "message: " << outcome.message;
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult is_undefined(const Outcome& outcome, std::string_view message) {
  return stops(outcome, Outcome::Status::Undefined, message);
}

// What a run prints.
inline std::string output_of(std::string_view text, const std::vector<Value>& arguments = {}) {
  std::string output;
  InterpretOptions options;
  options.output = [&](std::string_view piece) { output += piece; };
  Outcome outcome = run(text, arguments, options);
  EXPECT_TRUE(outcome.status == Outcome::Status::Returned || outcome.status == Outcome::Status::Exited ||
              outcome.status == Outcome::Status::Aborted)
      << outcome.message;
  return output;
}

inline uint64_t bits(double value) { return std::bit_cast<uint64_t>(value); }
inline uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace psi::interp_test
