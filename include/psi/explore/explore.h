// What a list of passes does to the functions of a module, step by step, as the data of the explorer
// (docs/explorer-data.md).
#pragma once

#include <optional>
#include <string>

#include "psi/ir/module.h"
#include "psi/pipeline/pipeline.h"

namespace psi {

struct ExploreOptions {
  std::string file;                      // name of the input
  std::string language = "psi";          // of the source: psi, llvm, c
  std::string source;                    // its text
  std::string passes;                    // the list as it was written
  SymbolId only;                         // one function; none: all
  bool times = false;                    // also how long each pass took, which differs from run to run
  const TargetTable* targets = nullptr;  // that passes know by name; null: the built-in ones
};

// Runs the passes over the module, and says in one object of JSON what they did. A pass that fails ends the
// steps of its function, and is named there. The same input gives the same bytes, if no times are asked for.
// Text is escaped so that the object may stand in a page of HTML.
std::string explore_as_json(Module& module, const PassList& passes, const ExploreOptions& options);

}  // namespace psi
