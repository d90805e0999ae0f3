// psic print: the file in canonical form.
#include <fmt/format.h>

#include "psic/tool.h"

namespace psic {
namespace {

struct PrintOptions {
  std::string file;
  std::string function;
  std::string output = "-";
  bool verify = true;
};

int print(const PrintOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.verify);
  if (!loaded) return kBadInput;
  if (options.function.empty())
    return write_file(options.output, psi::print(loaded->module)) ? kFine : kBadInput;
  const psi::Function* function = loaded->module.find_function(options.function);
  if (!function) {
    error(fmt::format("{} has no function ${}", loaded->path, options.function));
    return kBadInput;
  }
  return write_file(options.output, psi::print(loaded->module, *function)) ? kFine : kBadInput;
}

}  // namespace

void add_print(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("print", "Print a file in canonical form");
  auto options = std::make_shared<PrintOptions>();
  command->add_option("FILE", options->file, "The file to print")->required();
  command->add_option("--func", options->function, "Only this function")->type_name("NAME");
  command->add_option("-o,--output", options->output, "Where to write")->type_name("FILE");
  command->add_flag("!--no-verify", options->verify, "Print even what does not verify");
  command->callback([=, &action] { action = [=] { return print(*options); }; });
}

}  // namespace psic
