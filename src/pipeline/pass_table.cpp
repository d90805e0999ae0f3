#include "psi/pipeline/pass_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pipeline/orderings.h"
#include "pipeline/pipeline_text.h"

namespace psi {

bool Pass::accepts(Form form) const { return std::find(needs.begin(), needs.end(), form) != needs.end(); }

std::string_view works_on_name(WorksOn works_on) {
  switch (works_on) {
    case WorksOn::Generic:
      return "generic";
    case WorksOn::Machine:
      return "machine";
    case WorksOn::Both:
      return "both";
  }
  return "";
}

const Pass* PassTable::find(std::string_view name) const {
  for (const Pass& pass : passes_) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

const Pipeline* PassTable::find_pipeline(std::string_view name) const {
  for (const Pipeline& pipeline : pipelines_) {
    if (pipeline.name == name) return &pipeline;
  }
  return nullptr;
}

const std::vector<PassOption>* PassTable::find_options(std::string_view name) const {
  if (const Pass* pass = find(name)) return &pass->options;
  const Pipeline* pipeline = find_pipeline(name);
  return pipeline ? &pipeline->options : nullptr;
}

void PassTable::set_targets(const TargetTable& targets, std::string_view fallback) {
  auto set = [&](std::vector<PassOption>& options) {
    for (PassOption& option : options) {
      if (option.kind != PassOption::Kind::Target) continue;
      option.values = targets.words();
      auto first = std::ranges::find(option.values, fallback);
      if (first != option.values.end()) std::rotate(option.values.begin(), first, first + 1);
    }
  };
  for (Pass& pass : passes_) set(pass.options);
  for (Pipeline& pipeline : pipelines_) set(pipeline.options);
}

namespace {

// What is wrong with the options of `whose`.
void check_options(const std::string& whose, const std::vector<PassOption>& options, Diagnostics& wrong) {
  std::set<std::string_view> names;
  for (const PassOption& option : options) {
    auto error = [&](std::string_view what) {
      wrong.error({}, fmt::format("option '{}' of {} {}", option.name, whose, what));
    };
    if (!names.insert(option.name).second) error("is listed twice");
    if (option.is_number()) {
      auto [least, most, fallback] = option.range;
      if (least > most) error("has an empty range");
      if (fallback < least || fallback > most) error("has a default outside its range");
      continue;
    }
    if (option.values.empty()) error("has no values");
    if (std::set(option.values.begin(), option.values.end()).size() < option.values.size()) {
      error("has a value twice");
    }
  }
}

// What `target` without a value stands for must be the same for both.
void check_forwarded(const Pipeline& pipeline, const PipelineStep& step,
                     const std::vector<PassOption>& of_step, std::string_view name, Diagnostics& wrong) {
  auto outer = std::ranges::find(pipeline.options, name, &PassOption::name);
  auto inner = std::ranges::find(of_step, name, &PassOption::name);
  if (outer != pipeline.options.end() && inner != of_step.end() && outer->kind == inner->kind &&
      outer->values == inner->values && outer->range == inner->range) {
    return;
  }
  wrong.error(
      {}, fmt::format("pipeline '{}' has no option '{}' like that of '{}'", pipeline.name, name, step.pass));
}

// `table` has the pipelines that it may use.
Diagnostics check_pipeline(const PassTable& table, const Pipeline& pipeline) {
  Diagnostics wrong;
  std::string whose = fmt::format("pipeline '{}'", pipeline.name);
  check_options(whose, pipeline.options, wrong);
  for (const PipelineStep& step : pipeline.steps) {
    if (step.reason.empty()) wrong.error({}, fmt::format("no reason for '{}' in {}", step.pass, whose));
    auto is_condition = [&](const PassOption& option) {
      return option.name == step.only_if && option.kind == PassOption::Kind::Flag;
    };
    if (!step.only_if.empty() && std::ranges::none_of(pipeline.options, is_condition)) {
      wrong.error({}, fmt::format("{} has no flag '{}'", whose, step.only_if));
      return wrong;
    }
    const std::vector<PassOption>* options = table.find_options(step.pass);
    for (std::string_view option : split_options(step.options)) {
      if (options && option.find('=') == std::string_view::npos) {
        check_forwarded(pipeline, step, *options, option, wrong);
      }
    }
  }
  if (wrong.has_errors()) return wrong;
  auto check_passes = [&](const PassArguments& arguments) {
    if (Result<PassList> passes = parse_passes(table, pipeline.passes(arguments)); !passes) {
      wrong.error({}, fmt::format("{}: {}", whose, passes.diagnostics().first_error()));
    } else {
      check_order(pipeline.name, *passes, wrong);
    }
  };
  check_passes(PassArguments(pipeline.options));
  for (const PassOption& option : pipeline.options) {
    for (const std::string& value : option.values) {
      PassArguments arguments(pipeline.options);
      if (value != option.default_value() && arguments.set(option, value)) check_passes(arguments);
    }
  }
  return wrong;
}

}  // namespace

Result<void> PassTable::check() const {
  Diagnostics wrong;
  auto error = [&](std::string message) { wrong.error({}, std::move(message)); };
  std::set<std::string_view> names;
  for (const Pass& pass : passes_) {
    if (!names.insert(pass.name).second) error(fmt::format("pass '{}' is listed twice", pass.name));
    if (!pass.run) error(fmt::format("pass '{}' has nothing to run", pass.name));
    if (pass.needs.empty()) error(fmt::format("pass '{}' accepts no form", pass.name));
    check_options(fmt::format("pass '{}'", pass.name), pass.options, wrong);
    for (const PassOrdering& ordering : pass.after) {
      if (!find(ordering.earlier)) {
        error(fmt::format("pass '{}' must come after '{}', which is no pass", pass.name, ordering.earlier));
      } else if (ordering.reason.empty()) {
        error(fmt::format("no reason why pass '{}' comes after '{}'", pass.name, ordering.earlier));
      }
    }
  }
  check_for_cycles(passes_, wrong);
  for (size_t i = 0; i < pipelines_.size(); ++i) {
    const Pipeline& pipeline = pipelines_[i];
    if (!names.insert(pipeline.name).second) {
      error(fmt::format("pipeline '{}' has the name of another", pipeline.name));
    }
    // It may use only those before it, so that it does not use itself.
    PassTable before = *this;
    before.pipelines_.resize(i);
    wrong.add(check_pipeline(before, pipeline));
  }
  return wrong;
}

}  // namespace psi
