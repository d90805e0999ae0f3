// psic phis: shows phi placement step by step.
#include <fmt/format.h>

#include "psi/view/views.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct PhisOptions {
  std::string file;
  std::string function;
  std::string variable;
  std::string place = "auto";
  std::string output = "-";
  bool json = false;
  LoadOptions load;
};

int phis(const PhisOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  std::optional<std::vector<const psi::Function*>> functions = choose_functions(*loaded, options.function);
  if (!functions) return kBadInput;
  const psi::Module& module = loaded->module;
  psi::PlacementAlgorithm algorithm =
      *psi::placement_from_name(options.place == "auto" ? "adt" : options.place);
  std::vector<std::string> out;
  std::string_view name = options.variable;
  if (name.starts_with('%')) name.remove_prefix(1);
  const psi::Function* without = nullptr;  // the variable
  for (const psi::Function* function : *functions) {
    if (function->form != psi::Form::Plain) continue;
    psi::Reg variable;
    if (!name.empty() && !(variable = psi::find_reg(*function, name))) {
      without = function;
      continue;
    }
    psi::Analyses analyses(*function);
    auto explain = options.json ? psi::explain_placement_as_json : psi::explain_placement;
    out.push_back(explain(module, *function, analyses, algorithm, variable));
  }
  if (out.empty() && without) find_register(module, *without, name);
  if (out.empty() && !without) {
    const psi::Function& first = *functions->front();
    error(fmt::format("{}: nothing to show: ${} is in {} form, and phis are placed in plain form",
                      loaded->path, module.name(first.symbol), psi::form_name(first.form)));
  }
  if (out.empty()) return kBadInput;
  return write_file(options.output, options.json ? json_array(out) : fmt::format("{}", fmt::join(out, "\n")))
             ? kFine
             : kBadInput;
}

}  // namespace

void add_phis(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("phis", "Show the steps of phi placement");
  auto options = std::make_shared<PhisOptions>();
  add_file(*command, options->file, "The file to look at; its functions are in plain form");
  add_function(*command, options->function);
  command->add_option("--variable", options->variable, "Only this register")->type_name("REGISTER");
  choices(
      command->add_option("--place", options->place, "The algorithm; auto: the one that construct chooses"),
      {"auto", "adt", "dj-graph", "cytron", "cytron-ferrante"})
      ->capture_default_str();
  add_output(*command, options->output);
  add_json(*command, options->json);
  add_load_options(*command, options->load);
  add_examples(*command, {{"psic phis --variable i --place=dj-graph program.psi", "%i by the DJ-graph"}});
  command->callback([=, &action] { action = [=] { return phis(*options); }; });
}

}  // namespace psic
