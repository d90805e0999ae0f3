// The shared context of the checks of one function, and their reporting.
#pragma once

#include <string>
#include <string_view>

#include "psi/verify/verify.h"
#include "verify/engine_oracle.h"
#include "verify/rules.h"

namespace psi::verify {

class Context {
 public:
  Context(const Module& module, const Function& function, Diagnostics& diagnostics,
          const VerifyOptions& options);

  const Module& module;
  const Function& function;
  const PredicateOracle& oracle;  // given by the caller, or the default

  // Has no error been reported about this function?
  bool ok() const { return errors_ == 0; }
  size_t num_errors() const { return errors_; }
  // Enough errors reported: a check may stop.
  bool full() const { return diagnostics_.is_full(); }

  // About the function, a block of it, or an instruction. `block` must be a block of the function.
  void error(Rule rule, std::string message);
  void error(Rule rule, BlockId block, std::string message);
  // What the function was built with that made no sense.
  void misuse(const Diagnostic& misuse);
  // The record must have passed check_records, which makes it printable.
  void error(Rule rule, BlockId block, InstId inst, std::string message);
  // For a record that may not be printable.
  void record_error(Rule rule, BlockId block, InstId inst, std::string message);
  // Adds a note with the conflicting place to the last error.
  void note(InstId inst, std::string message);

  // As the text writes them.
  std::string name(Reg r) const;
  std::string name(BlockId b) const;
  std::string name(Operand operand) const;
  std::string name(Guard guard) const;

 private:
  void report(Rule rule, Location where, std::string message, std::string context);
  Location find(InstId inst) const;
  std::string function_name() const;

  EngineOracle own_oracle_;
  Diagnostics& diagnostics_;
  const VerifyOptions& options_;
  size_t errors_ = 0;
};

// `$f`, or its number where there is no such symbol.
std::string symbol_name(const Module& module, SymbolId symbol);

}  // namespace psi::verify
