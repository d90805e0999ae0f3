// psic print: the file in canonical form, or views of its functions.
#include <fmt/format.h>

#include "psi/view/views.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct PrintOptions {
  std::string file;
  std::string function;
  std::string output = "-";
  std::vector<psi::View> views;  // none: the program itself
  bool dot = false;
  bool json = false;
  LoadOptions load;
};

// The error in the options; empty if there is none.
std::string complaint(const PrintOptions& options) {
  // The analyses rely on what the verifier checks.
  if (!options.views.empty() && !options.load.verify) {
    return fmt::format("--{} needs a program that verifies: leave out --no-verify", options.views[0].name);
  }
  if (options.dot && options.views.empty()) return "--dot draws views: choose one, such as --cfg";
  if (options.json && options.views.empty()) return "--json is for views: choose one, such as --cfg";
  return {};
}

std::string views_of(const PrintOptions& options, const psi::Module& module,
                     const std::vector<const psi::Function*>& functions) {
  std::vector<std::string> views;
  for (const psi::Function* function : functions) {
    psi::Analyses analyses(*function);
    for (const psi::View& view : options.views) {
      psi::View::Write write = options.json ? view.json : options.dot ? view.dot : view.text;
      views.push_back(write(module, *function, analyses));
    }
  }
  return options.json ? json_array(views) : fmt::format("{}", fmt::join(views, "\n"));
}

std::vector<const psi::Function*> bodies(const psi::Module& module) {
  std::vector<const psi::Function*> functions;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function) continue;
    if (!module.function(symbol).is_declaration()) functions.push_back(&module.function(symbol));
  }
  return functions;
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
    out = options.views.empty() ? psi::print(module) : views_of(options, module, bodies(module));
  } else {
    const psi::Function* function = find_function(*loaded, options.function);
    if (!function) return kBadInput;
    if (options.views.empty()) {
      out = psi::print(module, *function);
    } else if (function->is_declaration()) {
      error(fmt::format("${} has no body to look at", module.name(function->symbol)));
      return kBadInput;
    } else {
      out = views_of(options, module, {function});
    }
  }
  return write_file(options.output, out) ? kFine : kBadInput;
}

}  // namespace

void add_print(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("print", "Print a file in canonical form, or views of its functions");
  auto options = std::make_shared<PrintOptions>();
  add_file(*command, options->file, "The file to print");
  add_function(*command, options->function);
  add_output(*command, options->output);
  command->add_flag("!--no-verify", options->load.verify, "Print even what does not verify");
  add_load_options(*command, options->load);
  add_dot(*command, options->dot)->excludes(add_json(*command, options->json));
  std::vector<CLI::Option*> flags;
  for (const psi::View& view : psi::views()) {
    flags.push_back(command->add_flag(fmt::format("--{}", view.name))
                        ->description(std::string(view.summary))
                        ->group("Views, in place of the program"));
  }
  add_examples(*command, {{"psic print program.psi", "the whole file in canonical form"},
                          {"psic print --cfg --loops --func f program.psi", "control flow and loops of $f"},
                          {"psic print --cfg --dot --func f program.psi | dot -Tsvg > f.svg", "a drawing"}});
  command->callback([=, &action] {
    for (size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]->count() > 0) options->views.push_back(psi::views()[i]);
    }
    action = [=] { return print(*options); };
  });
}

}  // namespace psic
