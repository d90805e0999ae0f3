// What a list of passes does to the functions of a module, step by step, as the data of the explorer
// (docs/explorer-data.md).
#pragma once

#include <cstdint>
#include <string>

#include "psi/ir/module.h"
#include "psi/pipeline/pipeline.h"
#include "psi/support/result.h"

namespace psi {

struct ExploreOptions {
  std::string file;                      // name of the input
  std::string language = "psi";          // of the source: psi, llvm, c
  std::string source;                    // its text
  std::string passes;                    // the list as it was written
  std::string extra = {};                // further members of the object, as JSON
  SymbolId only = {};                    // one function; none: all
  bool times = false;                    // also how long each pass took, which differs from run to run
  const TargetTable* targets = nullptr;  // that passes know by name; null: the built-in ones
};

// Runs the passes over the module, and says in one object of JSON what they did. A pass that fails ends the
// steps of its function, and is named there. The same input gives the same bytes, if no times are asked for.
// Text is escaped so that the object may stand in a page of HTML.
std::string explore_as_json(Module& module, const PassList& passes, const ExploreOptions& options);

// A question about a function as it is at a step, counted as the steps of explore_as_json.
struct ExploreQuestion {
  std::string function;
  uint32_t step = 0;
  // SSA forms: of the region whose blocks have names in the question; otherwise the block. Empty: the entry.
  std::string block;
  std::string text;  // `disjoint(%p, @b | %q)`, as parse_query reads it
};
// The answer with its proof, or with values that refute, as an object of JSON. Runs the passes up to the
// step.
Result<std::string> explore_answer(Module& module, const PassList& passes, const ExploreOptions& options,
                                   const ExploreQuestion& question);

// Text as a string of JSON, in quotes, escaped as in explore_as_json.
std::string json_string(std::string_view text);

}  // namespace psi
