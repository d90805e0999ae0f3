// psic print: the file in canonical form, or views of its functions.
#include <fmt/format.h>

#include "psi/emit.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct PrintOptions {
  std::string file;
  std::string function;
  std::string output = "-";
  std::vector<psi::View> views;  // none: the program itself
  bool dot = false;
  LoadOptions load;
};

// What is wrong with the options; empty if nothing is.
std::string complaint(const PrintOptions& options) {
  // The analyses rely on what the verifier checks.
  if (!options.views.empty() && !options.load.verify) {
    return fmt::format("--{} needs a program that verifies: leave out --no-verify", options.views[0].name);
  }
  if (options.dot && options.views.empty()) return "--dot draws views: choose one, such as --cfg";
  return {};
}

void append_views(std::string& out, const PrintOptions& options, const psi::Module& module,
                  const psi::Function& function) {
  psi::Analyses analyses(function);
  for (const psi::View& view : options.views) {
    if (!out.empty()) out += '\n';
    out += (options.dot ? view.dot : view.text)(module, function, analyses);
  }
}

std::string all_views(const PrintOptions& options, const psi::Module& module) {
  std::string out;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    const psi::Function& function = module.function(symbol);
    if (!function.is_declaration()) append_views(out, options, module, function);
  }
  return out;
}

int print(const PrintOptions& options) {
  if (std::string message = complaint(options); !message.empty()) {
    error(message);
    return kUsage;
  }
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  const psi::Module& module = loaded->module;
  std::string out;
  if (options.function.empty()) {
    out = options.views.empty() ? psi::print(module) : all_views(options, module);
  } else {
    const psi::Function* function = module.find_function(options.function);
    if (!function) {
      error(fmt::format("{} has no function ${}", loaded->path, options.function));
      return kBadInput;
    }
    if (options.views.empty()) {
      out = psi::print(module, *function);
    } else if (function->is_declaration()) {
      error(fmt::format("${} has no body to look at", options.function));
      return kBadInput;
    } else {
      append_views(out, options, module, *function);
    }
  }
  return write_file(options.output, out) ? kFine : kBadInput;
}

}  // namespace

void add_print(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("print", "Print a file in canonical form, or views of its functions");
  auto options = std::make_shared<PrintOptions>();
  command->add_option("FILE", options->file, "The file to print")->required();
  command->add_option("--func", options->function, "Only this function")->type_name("NAME");
  command->add_option("-o,--output", options->output, "Where to write")->type_name("FILE");
  command->add_flag("!--no-verify", options->load.verify, "Print even what does not verify");
  add_load_options(*command, options->load);
  command->add_flag("--dot", options->dot, "Draw the views, in the language of Graphviz");
  std::vector<CLI::Option*> flags;
  for (const psi::View& view : psi::views()) {
    flags.push_back(command->add_flag(fmt::format("--{}", view.name))
                        ->description(std::string(view.summary))
                        ->group("Views, in place of the program"));
  }
  command->callback([=, &action] {
    for (size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]->count() > 0) options->views.push_back(psi::views()[i]);
    }
    action = [=] { return print(*options); };
  });
}

}  // namespace psic
