// What every pass gets: the function, its analyses, its options, and where to report what it did.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/module.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"
#include "psi/pass/options.h"
#include "psi/pass/remarks.h"
#include "psi/pass/step_times.h"
#include "psi/support/result.h"
#include "psi/target/target.h"

namespace psi {

struct PassContext {
  const Module& module;
  Function& function;
  Analyses& analyses;
  const PassArguments& arguments;
  Counters& counters;
  StepTimes& times;            // for passes of several steps
  Remarks* remarks = nullptr;  // null: no remarks wanted
  const TargetTable& targets = TargetTable::builtin();
  Diagnostics refusals = {};

  // The pass cannot do its work on this function: the run ends with these messages.
  void refuse(std::string message) { refusals.error({}, std::move(message)); }

  // The target named by the option `target`; `generic` if the table lacks it.
  const Target& target() const {
    const Target* named = targets.find(arguments.target());
    return named ? *named : psi::targets().front();
  }
};

}  // namespace psi
