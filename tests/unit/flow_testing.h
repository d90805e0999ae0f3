// What the tests of data flow share: the problems, generated programs, and how many of them are tried.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsing.h"
#include "psi/live/predicate_flow.h"
#include "psi/pipeline/pass_table.h"
#include "psi/ssa/construct.h"
#include "psi/testing/fuzz.h"
#include "psi/testing/generate.h"

namespace psi::testing {

// How many programs a test tries: PSI_FLOW_PROGRAMS, if that is set, for long runs.
inline uint64_t num_programs(uint64_t usual) {
  const char* text = std::getenv("PSI_FLOW_PROGRAMS");
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

// Runs `change` on every function of generated programs, in plain form or after construct, and compares what
// they do before and after. `seed` tells tests apart.
inline void expect_same_behaviour(std::function<void(Function&, Analyses&)> change, bool ssa, uint64_t seed,
                                  uint64_t usual_programs) {
  Pass pass;
  pass.name = "change";
  pass.summary = "a pass of the test";
  pass.needs = {Form::Plain, Form::Ssa};
  pass.run = [&](PassContext& context) { change(context.function, context.analyses); };
  PassTable table;
  table.add(std::move(pass));
  PassList list = *parse_passes(table, "change");
  if (ssa) {
    Result<PassList> construct = parse_passes(PassTable::builtin(), "construct");
    list.insert(list.begin(), construct->begin(), construct->end());
  }
  FuzzOptions options;
  options.seed = seed;
  options.count = num_programs(usual_programs);
  FuzzReport report = fuzz(list, options);
  EXPECT_EQ(report.programs, options.count);
  for (const FuzzFailure& failure : report.failures) {
    ADD_FAILURE() << kind_name(failure.kind) << ": " << failure.why << "\n" << failure.reduced;
  }
}

inline constexpr FlowProblem kProblems[] = {FlowProblem::Liveness, FlowProblem::ReachingDefinitions,
                                            FlowProblem::UpwardExposedUses, FlowProblem::DownwardExposedUses,
                                            FlowProblem::AvailableExpressions};

inline void make_ssa(Function& function) {
  Analyses analyses(function);
  Counters counters;
  StepTimes times;
  construct(function, analyses, {}, counters, times);
}

// Calls visit(Function&) for each that has a body.
template <class Visit>
void for_each_function(Module& module, Visit visit) {
  std::vector<SymbolId> symbols(module.declarations().begin(), module.declarations().end());
  for (SymbolId symbol : symbols) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    visit(module.function(symbol));
  }
}

// A small program of one shape or another.
inline GenerateOptions program(uint64_t seed) {
  GenerateOptions options;
  options.seed = seed;
  options.size = 120;
  constexpr Shape kShapes[] = {Shape::Irreducible, Shape::Structured, Shape::Mixed, Shape::Straight};
  options.shape = kShapes[seed % 4];
  return options;
}

}  // namespace psi::testing
