// psic passes: the table of passes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psic/tool.h"

namespace psic {
namespace {

std::string forms(const psi::Pass& pass) {
  std::vector<std::string_view> names;
  for (psi::Form form : pass.needs) names.push_back(psi::form_name(form));
  std::string needs = names.size() == 4 ? "any form" : fmt::format("{}", fmt::join(names, " or "));
  return pass.makes ? fmt::format("{} -> {}", needs, psi::form_name(*pass.makes)) : needs;
}

void print_pass_list() {
  for (const psi::Pass& pass : psi::PassTable::builtin().all()) {
    put("{:<18} {} [{}]\n", pass.name, pass.summary, forms(pass));
    for (const psi::PassOption& option : pass.options) {
      put("  {:<16} {} ({}{})\n", option.name, option.summary, option.describe_values(),
          option.is_number() ? fmt::format(", {} by default", option.range.fallback) : "");
    }
    for (const psi::PassOrdering& ordering : pass.after) {
      put("  after {}: {}\n", ordering.earlier, ordering.reason);
    }
  }
  for (const psi::Pipeline& pipeline : psi::PassTable::builtin().pipelines()) {
    put("{:<18} {}\n  {}\n", pipeline.name, pipeline.summary, pipeline.passes);
  }
}

nlohmann::ordered_json option_json(const psi::PassOption& option) {
  nlohmann::ordered_json json = {
      {"name", option.name}, {"summary", option.summary}, {"kind", psi::kind_name(option.kind)}};
  if (option.is_number()) {
    json["least"] = option.range.least;
    json["most"] = option.range.most;
    json["default"] = option.range.fallback;
  } else {
    json["values"] = option.values;
    json["default"] = option.default_value();
  }
  return json;
}

void print_pass_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const psi::Pass& pass : psi::PassTable::builtin().all()) {
    nlohmann::ordered_json needs = nlohmann::ordered_json::array(), options = needs, after = needs;
    for (psi::Form form : pass.needs) needs.push_back(psi::form_name(form));
    for (const psi::PassOption& option : pass.options) {
      options.push_back(option_json(option));
    }
    for (const psi::PassOrdering& ordering : pass.after) {
      after.push_back({{"pass", ordering.earlier}, {"reason", ordering.reason}});
    }
    nlohmann::ordered_json makes;
    if (pass.makes) makes = psi::form_name(*pass.makes);
    all.push_back({{"name", pass.name},
                   {"summary", pass.summary},
                   {"needs", needs},
                   {"makes", makes},
                   {"options", options},
                   {"after", after}});
  }
  nlohmann::ordered_json pipelines = nlohmann::ordered_json::array();
  for (const psi::Pipeline& pipeline : psi::PassTable::builtin().pipelines()) {
    pipelines.push_back(
        {{"name", pipeline.name}, {"summary", pipeline.summary}, {"passes", pipeline.passes}});
  }
  put("{}\n", nlohmann::ordered_json{{"passes", all}, {"pipelines", pipelines}}.dump(2));
}

}  // namespace

void add_passes(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("passes", "List all passes with the forms they need and make, and their options");
  auto json = std::make_shared<bool>(false);
  add_json(*command, *json);
  add_examples(*command, {{"psic passes", "all of them"}});
  command->callback([=, &action] {
    action = [=] {
      *json ? print_pass_json() : print_pass_list();
      return static_cast<int>(kFine);
    };
  });
}

}  // namespace psic
