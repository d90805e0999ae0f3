// The table of passes, what it says of each, and how a list of them is written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/pass/pass.h"
#include "psi/support/result.h"

namespace psi {

// A pass that comes before this one where a list has both.
struct PassOrdering {
  enum class Kind : uint8_t {
    Required,  // the earlier one would find nothing to do: such a list is refused
    Advised,   // the reverse is worse; the built-in pipelines keep to it
  };
  std::string earlier;
  std::string reason;
  Kind kind = Kind::Advised;

  bool is_required() const { return kind == Kind::Required; }
};

// What instructions a pass understands. Phis, psis, moves and guards are the same in all code.
enum class WorksOn : uint8_t {
  Generic,  // generic instructions
  Machine,  // functions that name a target
  Both,
};
std::string_view works_on_name(WorksOn works_on);

struct Pass {
  std::string name;
  std::string summary;
  std::vector<Form> needs;    // the forms it accepts
  std::optional<Form> makes;  // the form it makes; nothing: the form is unchanged
  // What it leaves as it was in every function; verification after each pass checks it.
  Keeps keeps = Keeps::Nothing;
  std::vector<PassOption> options;
  std::vector<PassOrdering> after;
  std::function<void(PassContext&)> run;
  bool needs_guards = false;  // there is nothing to do where there are no guards, psis and cmpps

  // It only moves, copies, guards, merges and removes: an instruction that stays, or a copy of it, computes
  // what it did, so that what was known of it still holds.
  bool only_moves = false;
  // It weighs what the target gains: what it did and refused is what users of a compiler ask for.
  bool decides = false;
  // Branches become guards, so that passes for guards and psis have work again behind it.
  bool adds_guards = false;
  // Only tests want it: code gets worse.
  bool for_tests = false;
  WorksOn works_on = WorksOn::Generic;
  // Its target must have instructions; it refuses others, and the passes behind it mind the target.
  bool needs_instructions = false;
  // Adds declarations that its code may refer to, as a pass itself cannot: once, before the first function.
  // Those that nothing refers to in the end are removed again.
  std::function<void(Module&, const PassArguments&, const TargetTable&)> declare = {};

  bool accepts(Form form) const;
  bool accepts(const Function& function) const {
    return works_on == WorksOn::Both || (works_on == WorksOn::Machine) == (function.instruction_set != nullptr);
  }
};

// One line of a pipeline.
struct PipelineStep {
  enum class Repeat : uint8_t {
    Once,
    Grouped,  // with its neighbours that are, until nothing changes
  };
  std::string pass;  // or a pipeline that comes earlier in the table
  // As in a list of passes; `target` without a value is what the pipeline was given for its own option of
  // that name, if anything.
  std::string options;
  std::string reason;  // why it stands here
  Repeat repeat = Repeat::Once;
  std::string only_if = {};  // a flag among the pipeline's options; empty: always
};

// A named list of passes, as a table with reasons. `name(option=value)` stands for it in a list of passes.
struct Pipeline {
  std::string name;
  std::string summary;
  std::vector<PassOption> options;
  std::vector<PipelineStep> steps;

  // The list of passes that it stands for.
  std::string passes(const PassArguments& arguments) const;
  // The same as a pattern: with all steps, and the names of options that are passed on.
  std::string passes() const;
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
  // Of the pass or the pipeline of this name; null: there is none.
  const std::vector<PassOption>* find_options(std::string_view name) const;
  // Lets options called `target` name these targets, and no others. The default is the one of this name or
  // file, if one is given.
  void set_targets(const TargetTable& targets, std::string_view fallback = {});
  // Is the table itself right? Not with names used twice, options without values, orderings that name no
  // pass, have no reason or have a cycle, pipelines that do not parse, have a step without a reason, or do
  // not obey the orderings.
  Result<void> check() const;

 private:
  std::vector<Pass> passes_;
  std::vector<Pipeline> pipelines_;
};

// A pipeline that a call comes from, or `fixpoint`.
struct PassGroup {
  std::string name;
  uint32_t number = 1;  // counts those of the same name beside each other
};

struct PassCall {
  const Pass* pass = nullptr;
  PassArguments arguments;
  std::string text;  // as written
  // Begins, and ends, a group that is repeated until nothing changes.
  bool opens = false;
  bool closes = false;
  // Only for functions that are in this form when the list begins.
  std::optional<Form> only_from = {};
  std::vector<PassGroup> groups = {};  // outermost first
};

using PassList = std::vector<PassCall>;

// A call in a list that comes too late.
struct Misplaced {
  size_t call = 0;    // should have come
  size_t before = 0;  // this one
  const PassOrdering* ordering = nullptr;
};
// The first by an ordering that is required, if any. A pass in a group is never misplaced: a group is meant
// for passes that may find nothing. And what adds guards, or makes another form, gives the others work again.
std::optional<Misplaced> find_misplaced(const PassList& passes);

// `a,b(option=value,option=value),fixpoint(c,d),O2`: passes, groups of passes that are repeated until nothing
// changes, and pipelines, which expand to their passes.
// A value may be quoted, as the name of a file must be that has a comma or a parenthesis in it.
Result<PassList> parse_passes(const PassTable& table, std::string_view text);

// What -O1 and -O2 mean: functions in plain form go into SSA form, through the pipeline of this name, and
// back to plain form. Functions in SSA form go through the pipeline and stay in SSA form.
struct Optimisation {
  uint32_t level = 2;      // 0: no passes
  std::string target;      // of all passes that have such an option; empty: the table's default
  bool leaves_ssa = true;  // or all functions end in SSA form, as LLVM IR has it
};
// Fails for a level, or a target, that the table does not have.
Result<PassList> optimisation_passes(const PassTable& table, const Optimisation& optimisation);

// The values of options called `target` that are written in such a list.
std::vector<std::string> targets_in_passes(std::string_view text);

}  // namespace psi
