// Runs one pass on a function of a module, and looks at what is left.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "parsing.h"
#include "psi/pipeline/pass_table.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi::testing {

struct RunOnFunction {
  Counters counters;
  StepTimes times;
  Remarks remarks;
  std::string text;  // of the function, afterwards
};

// A failure if the result does not verify.
inline RunOnFunction run_pass(Module& module, std::string_view pass, std::string_view function) {
  RunOnFunction run;
  Result<PassList> list = parse_passes(PassTable::builtin(), pass);
  Function* body = module.find_function(function);
  if (!list || !body) {
    ADD_FAILURE() << "no such pass or function: " << pass << " " << function;
    return run;
  }
  Analyses analyses(*body);
  run.remarks.begin(pass, function);
  PassContext context{module,       *body,     analyses,    list->front().arguments,
                      run.counters, run.times, &run.remarks};
  list->front().pass->run(context);
  Result<void> verified = verifies(module, *body);
  EXPECT_TRUE(verified) << render(verified, "result", {});
  run.text = print(module, *body);
  return run;
}

}  // namespace psi::testing
