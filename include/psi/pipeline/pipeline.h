// Runs a list of passes over a module: times, dumps, verifies, counts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "psi/pipeline/pass_table.h"
#include "psi/support/result.h"
#include "psi/verify/verify.h"

namespace psi {

// One run of a pass on one function, for those who follow every step.
struct PassRun {
  size_t call = 0;         // index in the list
  uint32_t iteration = 0;  // of its group, from 1; 0: it is in none that is repeated
  const Counters& counters;
  std::span<const Remark> remarks;  // if they are collected
  double seconds = 0;
};

struct PipelineOptions {
  bool verify_each = false;
  std::vector<std::string> print_before;  // names of passes, or `all`
  std::vector<std::string> print_after;
  std::function<void(std::string_view)> dump;  // receives these
  const PredicateOracle* oracle = nullptr;
  // Called after each run, with what the pass has left: for identities (Function::set_identity), nothing else
  // may be changed. Functions come one after the other.
  std::function<void(Function&, const PassRun&)> follow;
  bool remarks = false;      // collect remarks (PipelineResult::remarks)
  bool by_function = false;  // keep what they count in each function, too (PipelineReport::functions)
  // The number of functions to work on in parallel; 0: one for each core. Passes and the oracle must then be
  // thread-safe; those of the built-in table are. Functions are always dumped one after the other. The result
  // is the same for any number.
  uint32_t threads = 1;
  const TargetTable* targets = nullptr;  // that passes know by name; null: the built-in ones
};

struct PassReport {
  std::string pass;  // as written in the list
  double seconds = 0;
  Counters counters;
  StepTimes steps;  // within the pass, if it times them
};

// What the passes counted in one function.
struct FunctionReport {
  SymbolId function;
  std::vector<Counters> counters;  // by pass of the list
};

struct PipelineReport {
  std::vector<PassReport> passes;
  std::vector<FunctionReport> functions;  // if asked for
  Remarks remarks;                        // in the order of functions, if asked for
};

// What went wrong, and where. The first error says it in a sentence; if a pass broke a function, others name
// the rules of the verifier.
struct PassFailure : Diagnostics {
  enum class Kind : uint8_t {
    WrongForm,  // a pass got a function in a form, or for a target, that it does not accept
    Refused,    // a pass says that it cannot do its work, and why: PassContext::refuse
    Broken,     // a pass left something that does not verify: a bug of the pass
  };
  Kind kind = Kind::WrongForm;
  std::string pass;
  SymbolId function;
  std::string text_before;  // Broken: the function before the pass
  Diagnostics broken;       // Broken: the rules that it broke
};

using PipelineResult = Result<PipelineReport, PassFailure>;

PipelineResult run_passes(Module& module, const PassList& passes, const PipelineOptions& options = {});
// On one function of the module.
PipelineResult run_passes(const Module& module, Function& function, const PassList& passes,
                          const PipelineOptions& options = {});

// One line per counter or pass. What was never counted has none; the counters of a pass come by name, so that
// two reports can be compared line by line.
std::string counters_as_text(const PipelineReport& report);
std::string counters_as_json(const PipelineReport& report);
// The same for each function in which something was counted.
std::string counters_by_function_as_text(const PipelineReport& report, const Module& module);
std::string counters_by_function_as_json(const PipelineReport& report, const Module& module);
std::string times_as_text(const PipelineReport& report);
std::string times_as_json(const PipelineReport& report);
// One line per remark; repeated lines of a group of passes appear once.
std::string remarks_as_text(const PipelineReport& report);
std::string remarks_as_json(const PipelineReport& report);

}  // namespace psi
