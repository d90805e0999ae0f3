// A pipeline as a list of passes.
#include "pipeline/pipeline_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "psi/pipeline/pass_table.h"

namespace psi {
namespace {

// `name=value`; empty for the default, which the step has anyway.
std::string forwarded(const Pipeline& pipeline, const PassArguments& arguments, std::string_view name) {
  auto option = std::ranges::find(pipeline.options, name, &PassOption::name);
  if (option == pipeline.options.end()) return {};
  std::string_view value = arguments.text(name);
  if (value == option->default_value()) return {};
  bool is_word = value.find_first_of(",() \n\t") == std::string_view::npos;
  return is_word ? fmt::format("{}={}", name, value) : fmt::format("{}=\"{}\"", name, value);
}

// Null: whatever the arguments.
std::string text_of(const PipelineStep& step, const Pipeline& pipeline, const PassArguments* arguments) {
  std::string options;
  for (std::string_view option : split_options(step.options)) {
    bool is_forwarded = arguments && option.find('=') == std::string_view::npos;
    std::string text = is_forwarded ? forwarded(pipeline, *arguments, option) : std::string(option);
    if (!text.empty()) options += (options.empty() ? "" : ",") + text;
  }
  return options.empty() ? step.pass : fmt::format("{}({})", step.pass, options);
}

std::string text_of(const Pipeline& pipeline, const PassArguments* arguments) {
  std::string list;
  bool in_group = false;
  for (const PipelineStep& step : pipeline.steps) {
    if (arguments && !step.only_if.empty() && !arguments->flag(step.only_if)) continue;
    bool is_grouped = step.repeat == PipelineStep::Repeat::Grouped;
    if (in_group && !is_grouped) list += ')';
    if (!list.empty()) list += ',';
    if (is_grouped && !in_group) list += "fixpoint(";
    in_group = is_grouped;
    list += text_of(step, pipeline, arguments);
  }
  return in_group ? list + ')' : list;
}

}  // namespace

std::vector<std::string_view> split_options(std::string_view options) {
  std::vector<std::string_view> all;
  while (!options.empty()) {
    size_t end = std::min(options.find(','), options.size());
    all.push_back(options.substr(0, end));
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return all;
}

std::string Pipeline::passes(const PassArguments& arguments) const { return text_of(*this, &arguments); }
std::string Pipeline::passes() const { return text_of(*this, nullptr); }

}  // namespace psi
