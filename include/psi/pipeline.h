// Runs a list of passes over a module: times, dumps, verifies, counts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/diagnostic.h"
#include "psi/pass.h"
#include "psi/verify.h"

namespace psi {

struct PipelineOptions {
  bool verify_each = false;
  std::vector<std::string> print_before;  // names of passes, or `all`
  std::vector<std::string> print_after;
  std::function<void(std::string_view)> dump;  // where these go
  const PredicateOracle* oracle = nullptr;
  bool remarks = false;  // ask the passes to say what they do (PipelineResult::remarks)
  // How many functions may be worked on at a time; 0: as many as the machine has cores. Passes, and the
  // oracle, must then be able to run side by side; those of the built-in table are. Functions are dumped one
  // after the other in any case. The result is the same for any number.
  uint32_t threads = 1;
  const TargetTable* targets = nullptr;  // that passes know by name; null: the built-in ones
};

struct PassReport {
  std::string pass;  // as written in the list
  double seconds = 0;
  Counters counters;
  StepTimes steps;  // within the pass, if it times them
};

struct PipelineResult {
  enum class Status : uint8_t {
    Ok,
    WrongForm,  // a function was not in a form that the pass accepts
    Broken,     // a pass left something that does not verify: our bug
  };
  Status status = Status::Ok;
  std::string message;  // what went wrong
  std::string pass;     // where
  SymbolId function;
  std::string text_before;  // Broken: the function before the pass
  Diagnostics diagnostics;  // Broken: the rules it broke
  std::vector<PassReport> passes;
  Remarks remarks;  // in the order of functions, if asked for
};

PipelineResult run_passes(Module& module, const PassList& passes, const PipelineOptions& options = {});
// On one function of the module.
PipelineResult run_passes(const Module& module, Function& function, const PassList& passes,
                          const PipelineOptions& options = {});

// One line per counter or pass.
std::string counters_as_text(const PipelineResult& result);
std::string counters_as_json(const PipelineResult& result);
std::string times_as_text(const PipelineResult& result);
// One line per remark; a group of passes that repeats itself is not repeated.
std::string remarks_as_text(const PipelineResult& result);
std::string remarks_as_json(const PipelineResult& result);

}  // namespace psi
