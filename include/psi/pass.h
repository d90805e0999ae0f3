// Passes: what the table says of each, and how a list of them is written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/module.h"
#include "psi/remarks.h"
#include "psi/step_times.h"
#include "psi/target.h"

namespace psi {

// An option of a pass, as in `construct(flavour=pruned)`.
struct PassOption {
  std::string name;
  std::vector<std::string> values;  // what it may be; the first is the default
  std::string summary;
};

// The options of one call of a pass: all of them, with defaults filled in.
class PassArguments {
 public:
  void set(std::string_view name, std::string_view value) {
    for (auto& [known, old] : values_) {
      if (known != name) continue;
      old = value;
      return;
    }
    values_.emplace_back(name, value);
  }
  std::string_view operator[](std::string_view name) const {
    for (const auto& [known, value] : values_) {
      if (known == name) return value;
    }
    return {};
  }

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

struct PassContext {
  const Module& module;
  Function& function;
  Analyses& analyses;
  const PassArguments& arguments;
  Counters& counters;
  StepTimes& times;            // for passes of several steps
  Remarks* remarks = nullptr;  // null: nobody listens
  const TargetTable& targets = TargetTable::builtin();

  // The machine that the option `target` names; `generic` if that is not in the table.
  const Target& target() const {
    const Target* named = targets.find(arguments["target"]);
    return named ? *named : psi::targets().front();
  }
};

// A pass that must come before this one wherever both are in a list.
struct PassOrdering {
  std::string earlier;
  std::string reason;
};

struct Pass {
  std::string name;
  std::string summary;
  std::vector<Form> needs;    // the forms it accepts
  std::optional<Form> makes;  // the form it leaves; nothing: the one it found
  Keeps keeps = Keeps::Nothing;
  std::vector<PassOption> options;
  std::vector<PassOrdering> after;
  std::function<void(PassContext&)> run;

  bool accepts(Form form) const;
};

// A list of passes with a name of its own.
struct Pipeline {
  std::string name;
  std::string summary;
  std::string passes;
};

class PassTable {
 public:
  // The table of psic's own passes.
  static const PassTable& builtin();

  void add(Pass pass) { passes_.push_back(std::move(pass)); }
  const Pass* find(std::string_view name) const;
  const std::vector<Pass>& all() const { return passes_; }
  void add(Pipeline pipeline) { pipelines_.push_back(std::move(pipeline)); }
  const Pipeline* find_pipeline(std::string_view name) const;
  const std::vector<Pipeline>& pipelines() const { return pipelines_; }
  // Lets options called `target` name these machines, and no others.
  void set_targets(const TargetTable& targets);
  // What is wrong with the table itself: names used twice, options without values, orderings that name
  // no pass or contradict each other, pipelines that do not parse. Empty if nothing is.
  std::vector<std::string> check() const;

 private:
  std::vector<Pass> passes_;
  std::vector<Pipeline> pipelines_;
};

struct PassCall {
  const Pass* pass = nullptr;
  PassArguments arguments;
  std::string text;  // as written
  // The first, and the last, of a group that is repeated until nothing changes.
  bool opens = false;
  bool closes = false;
  // Only for functions that are in this form when the list begins.
  std::optional<Form> only_from;
};

using PassList = std::vector<PassCall>;

// Something wrong with a list of passes, and where in it.
struct PassListError {
  std::string message;
  size_t offset = 0;
  size_t length = 0;
};

// `a,b(option=value,option=value),fixpoint(c,d),O2`: passes, groups of passes that are repeated until nothing
// changes, and pipelines, which stand for their passes. Nothing on an error.
std::optional<PassList> parse_passes(const PassTable& table, std::string_view text, PassListError& error);

}  // namespace psi
