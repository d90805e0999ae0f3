// psic passes: the table of passes and pipelines.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "psic/tool.h"

namespace psic {
namespace {

using Json = nlohmann::ordered_json;

struct PassesOptions {
  std::vector<std::string> names;
  bool order = false;
  bool json = false;
};

std::string_view kept(psi::Keeps keeps) {
  return keeps == psi::Keeps::All ? "all" : keeps == psi::Keeps::ControlFlow ? "control flow" : "nothing";
}

// --- As text ------------------------------------------------------------------------------------------

// Forms, and what stays as it is.
std::string properties(const psi::Pass& pass) {
  std::vector<std::string_view> names;
  for (psi::Form form : pass.needs) names.push_back(psi::form_name(form));
  std::string all = names.size() == 4 ? "any form" : fmt::format("{}", fmt::join(names, " or "));
  if (pass.makes) all += fmt::format(" -> {}", psi::form_name(*pass.makes));
  if (pass.keeps != psi::Keeps::Nothing) all += fmt::format(", keeps {}", kept(pass.keeps));
  if (pass.only_moves) all += ", only moves code";
  if (pass.works_on == psi::WorksOn::Both) all += ", on generic and machine instructions";
  if (pass.works_on == psi::WorksOn::Machine) all += ", on machine instructions";
  return all;
}

void put_options(const std::vector<psi::PassOption>& options) {
  for (const psi::PassOption& option : options) {
    put("  {:<16} {} ({}{})\n", option.name, option.summary, option.describe_values(),
        option.is_number() ? fmt::format(", {} by default", option.range.fallback) : "");
  }
}

void put_ordering(std::string_view side, std::string_view name, const psi::PassOrdering& ordering) {
  put("  {}{} {}: {}\n", ordering.is_required() ? "always " : "", side, name, ordering.reason);
}

void put_pass(const psi::Pass& pass) {
  put("{:<18} {} [{}]\n", pass.name, pass.summary, properties(pass));
  put_options(pass.options);
  // Those with one reason in one line.
  for (size_t first = 0, end = 0; first < pass.after.size(); first = end) {
    const psi::PassOrdering& ordering = pass.after[first];
    std::vector<std::string_view> names;
    for (; end < pass.after.size(); ++end) {
      const psi::PassOrdering& same = pass.after[end];
      if (same.kind != ordering.kind || same.reason != ordering.reason) break;
      names.push_back(same.earlier);
    }
    put_ordering("after", fmt::format("{}", fmt::join(names, ", ")), ordering);
  }
}

// Also with what comes after it.
void put_pass_alone(const psi::Pass& pass) {
  put_pass(pass);
  for (const psi::Pass& later : psi::PassTable::builtin().all()) {
    for (const psi::PassOrdering& ordering : later.after) {
      if (ordering.earlier == pass.name) put_ordering("before", later.name, ordering);
    }
  }
}

void put_pipeline(const psi::Pipeline& pipeline) {
  put("{:<18} {}\n  {}\n", pipeline.name, pipeline.summary, pipeline.passes());
  put_options(pipeline.options);
}

// One line for each step.
void put_steps(const psi::Pipeline& pipeline) {
  put("{}: {}\n", pipeline.name, pipeline.summary);
  bool in_group = false;
  for (const psi::PipelineStep& step : pipeline.steps) {
    bool is_grouped = step.repeat == psi::PipelineStep::Repeat::Grouped;
    if (is_grouped && !in_group) put("  until nothing changes:\n");
    in_group = is_grouped;
    std::string call = step.options.empty() ? step.pass : fmt::format("{}({})", step.pass, step.options);
    std::string when = step.only_if.empty() ? "" : fmt::format(" (only if '{}' is on)", step.only_if);
    size_t indent = in_group ? 4 : 2, width = 26;
    // What is long gets a line of its own.
    if (indent + call.size() > width) call += fmt::format("\n{:{}}", "", width);
    put("{:{}}{:<{}} {}{}\n", "", indent, call, width - indent, step.reason, when);
  }
  put("\n");
}

void put_orderings(psi::PassOrdering::Kind kind, std::string_view heading) {
  put("{}\n", heading);
  for (const psi::Pass& later : psi::PassTable::builtin().all()) {
    for (const psi::PassOrdering& ordering : later.after) {
      if (ordering.kind != kind) continue;
      put("  {:<18} {:<18} {}\n", ordering.earlier, later.name, ordering.reason);
    }
  }
}

void put_order() {
  for (const psi::Pipeline& pipeline : psi::PassTable::builtin().pipelines()) put_steps(pipeline);
  put_orderings(psi::PassOrdering::Kind::Required,
                "Required of every list, as the first of two finds nothing to do otherwise:");
  put_orderings(psi::PassOrdering::Kind::Advised, "\nAdvised, and so in these pipelines:");
}

// --- As JSON ------------------------------------------------------------------------------------------

Json options_json(const std::vector<psi::PassOption>& options) {
  Json all = Json::array();
  for (const psi::PassOption& option : options) {
    Json one = {{"name", option.name}, {"summary", option.summary}, {"kind", psi::kind_name(option.kind)}};
    if (option.is_number()) {
      one["least"] = option.range.least;
      one["most"] = option.range.most;
      one["default"] = option.range.fallback;
    } else {
      one["values"] = option.values;
      one["default"] = option.default_value();
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json pass_json(const psi::Pass& pass) {
  Json needs = Json::array(), after = Json::array(), makes;
  for (psi::Form form : pass.needs) needs.push_back(psi::form_name(form));
  for (const psi::PassOrdering& ordering : pass.after) {
    after.push_back(
        {{"pass", ordering.earlier}, {"required", ordering.is_required()}, {"reason", ordering.reason}});
  }
  if (pass.makes) makes = psi::form_name(*pass.makes);
  return {{"name", pass.name},
          {"summary", pass.summary},
          {"needs", needs},
          {"makes", makes},
          {"keeps", kept(pass.keeps)},
          {"only_moves", pass.only_moves},
          {"works_on", psi::works_on_name(pass.works_on)},
          {"decides", pass.decides},
          {"adds_guards", pass.adds_guards},
          {"for_tests", pass.for_tests},
          {"options", options_json(pass.options)},
          {"after", after}};
}

Json pipeline_json(const psi::Pipeline& pipeline) {
  Json steps = Json::array();
  for (const psi::PipelineStep& step : pipeline.steps) {
    Json only_if;
    if (!step.only_if.empty()) only_if = step.only_if;
    steps.push_back({{"pass", step.pass},
                     {"options", step.options},
                     {"repeated", step.repeat == psi::PipelineStep::Repeat::Grouped},
                     {"only_if", only_if},
                     {"reason", step.reason}});
  }
  return {{"name", pipeline.name},
          {"summary", pipeline.summary},
          {"passes", pipeline.passes()},
          {"options", options_json(pipeline.options)},
          {"steps", steps}};
}

// --- The command --------------------------------------------------------------------------------------

int show_order(bool json) {
  if (!json) {
    put_order();
    return kFine;
  }
  Json pipelines = Json::array(), orderings = Json::array();
  for (const psi::Pipeline& pipeline : psi::PassTable::builtin().pipelines()) {
    pipelines.push_back(pipeline_json(pipeline));
  }
  for (const psi::Pass& later : psi::PassTable::builtin().all()) {
    for (const psi::PassOrdering& ordering : later.after) {
      orderings.push_back({{"earlier", ordering.earlier},
                           {"later", later.name},
                           {"required", ordering.is_required()},
                           {"reason", ordering.reason}});
    }
  }
  put("{}\n", Json{{"pipelines", pipelines}, {"orderings", orderings}}.dump(2));
  return kFine;
}

int show_passes(const PassesOptions& options) {
  const psi::PassTable& table = psi::PassTable::builtin();
  if (options.order) return show_order(options.json);
  for (const std::string& name : options.names) {
    if (table.find_options(name)) continue;
    std::vector<std::string> known;
    for (const psi::Pass& pass : table.all()) known.push_back(pass.name);
    for (const psi::Pipeline& pipeline : table.pipelines()) known.push_back(pipeline.name);
    error(fmt::format("there is no pass '{}'{}; 'psic passes' lists them", name, similar(name, known)));
    return kUsage;
  }
  auto is_wanted = [&](const std::string& name) {
    return options.names.empty() || std::ranges::count(options.names, name) > 0;
  };
  Json passes = Json::array(), pipelines = Json::array();
  for (const psi::Pass& pass : table.all()) {
    if (!is_wanted(pass.name)) continue;
    if (options.json) {
      passes.push_back(pass_json(pass));
    } else {
      options.names.empty() ? put_pass(pass) : put_pass_alone(pass);
    }
  }
  for (const psi::Pipeline& pipeline : table.pipelines()) {
    if (!is_wanted(pipeline.name)) continue;
    if (options.json) {
      pipelines.push_back(pipeline_json(pipeline));
    } else {
      options.names.empty() ? put_pipeline(pipeline) : put_steps(pipeline);
    }
  }
  if (options.json) put("{}\n", Json{{"passes", passes}, {"pipelines", pipelines}}.dump(2));
  return kFine;
}

}  // namespace

void add_passes(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("passes", "List the passes and pipelines: forms, what is kept, options, order");
  auto options = std::make_shared<PassesOptions>();
  CLI::Option* names = command->add_option("NAME", options->names, "Only these passes and pipelines");
  command
      ->add_flag("--order", options->order,
                 "The pipelines step by step, and which pass comes before which, with the reasons")
      ->excludes(names);
  add_json(*command, options->json);
  add_examples(*command, {{"psic passes", "all of them"},
                          {"psic passes if-convert psicc", "one pass, and a pipeline step by step"},
                          {"psic passes --order", "why each pass stands where it does"}});
  command->callback([=, &action] { action = [=] { return show_passes(*options); }; });
}

}  // namespace psic
