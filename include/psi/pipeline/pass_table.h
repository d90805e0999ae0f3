// The table of passes, what it says of each, and how a list of them is written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/pass/pass.h"
#include "psi/support/result.h"

namespace psi {

// A pass that must come before this one in every list that has both.
struct PassOrdering {
  std::string earlier;
  std::string reason;
};

struct Pass {
  std::string name;
  std::string summary;
  std::vector<Form> needs;    // the forms it accepts
  std::optional<Form> makes;  // the form it makes; nothing: the form is unchanged
  Keeps keeps = Keeps::Nothing;
  std::vector<PassOption> options;
  std::vector<PassOrdering> after;
  std::function<void(PassContext&)> run;

  bool accepts(Form form) const;
};

// A named list of passes.
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
  // Lets options called `target` name these targets, and no others. The default is the one of this name or
  // file, if one is given.
  void set_targets(const TargetTable& targets, std::string_view fallback = {});
  // Is the table itself right? Not with names used twice, options without values, orderings that name no pass
  // or contradict each other, pipelines that do not parse.
  Result<void> check() const;

 private:
  std::vector<Pass> passes_;
  std::vector<Pipeline> pipelines_;
};

struct PassCall {
  const Pass* pass = nullptr;
  PassArguments arguments;
  std::string text;  // as written
  // Begins, and ends, a group that is repeated until nothing changes.
  bool opens = false;
  bool closes = false;
  // Only for functions that are in this form when the list begins.
  std::optional<Form> only_from;
};

using PassList = std::vector<PassCall>;

// `a,b(option=value,option=value),fixpoint(c,d),O2`: passes, groups of passes that are repeated until nothing
// changes, and pipelines, which expand to their passes.
// A value may be quoted, as the name of a file must be that has a comma or a parenthesis in it.
Result<PassList> parse_passes(const PassTable& table, std::string_view text);
// The values of options called `target` that are written in such a list.
std::vector<std::string> targets_in_passes(std::string_view text);

}  // namespace psi
