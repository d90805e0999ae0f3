// psic phis: shows how the places of phis are found.
#include <fmt/format.h>

#include "psi/emit.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct PhisOptions {
  std::string file;
  std::string function;
  std::string variable;
  std::string place = "adt";
  std::string output = "-";
  LoadOptions load;
};

// Is it one to look at? If not, `why` says so.
bool is_wanted(const PhisOptions& options, const psi::Module& module, const psi::Function& function,
               std::string& why) {
  std::string_view name = module.name(function.symbol);
  if (!options.function.empty() && name != options.function) return false;
  if (function.is_declaration()) {
    why = fmt::format("${} has no body", name);
  } else if (function.form != psi::Form::Plain) {
    why =
        fmt::format("${} is in {} form: phis are placed in plain form", name, psi::form_name(function.form));
  } else if (!options.variable.empty() && !psi::find_reg(function, options.variable)) {
    why = fmt::format("${} has no register %{}", name, options.variable);
  } else {
    return true;
  }
  return false;
}

int phis(PhisOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  if (options.variable.starts_with('%')) options.variable.erase(0, 1);
  const psi::Module& module = loaded->module;
  psi::PlacementAlgorithm algorithm = *psi::placement_from_name(options.place);
  std::string why = options.function.empty() ? "there is no function"
                                             : fmt::format("there is no function ${}", options.function);
  std::string out;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = module.function(symbol);
    if (!is_wanted(options, module, function, why)) continue;
    psi::Analyses analyses(function);
    psi::Reg variable = options.variable.empty() ? psi::Reg() : psi::find_reg(function, options.variable);
    if (!out.empty()) out += '\n';
    out += psi::explain_placement(module, function, analyses, algorithm, variable);
  }
  if (out.empty()) {
    error(fmt::format("{}: nothing to show: {}", loaded->path, why));
    return kBadInput;
  }
  return write_file(options.output, out) ? kFine : kBadInput;
}

}  // namespace

void add_phis(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("phis", "Show how the places of phis are found");
  auto options = std::make_shared<PhisOptions>();
  command->add_option("FILE", options->file, "The file to look at; its functions are in plain form")
      ->required();
  command->add_option("--func", options->function, "Only this function")->type_name("NAME");
  command->add_option("--variable", options->variable, "Only this register")->type_name("NAME");
  command->add_option("--place", options->place, "The algorithm")
      ->check(CLI::IsMember({"adt", "dj-graph", "cytron", "cytron-ferrante"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Where to write")->type_name("FILE");
  add_load_options(*command, options->load);
  command->callback([=, &action] { action = [=] { return phis(*options); }; });
}

}  // namespace psic
