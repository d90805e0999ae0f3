// psic check: does the file parse and verify?
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "psi/legal/legal.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct Size {
  std::string path;
  uint64_t functions = 0, blocks = 0, instructions = 0, bytes = 0;
};

// Of the file, or of the one function that is asked for.
Size size_of(const Loaded& loaded, const std::vector<const psi::Function*>& functions, bool is_one) {
  Size size{loaded.path, functions.size(), 0, 0, is_one ? functions[0]->memory() : loaded.module.memory()};
  for (const psi::Function* function : functions) {
    size.blocks += function->layout().size();
    size.instructions += function->num_insts();
  }
  return size;
}

void print_size(const Size& size) {
  put("{}: {}, {}, {}, {} bytes in memory", size.path, counted(size.functions, "function"),
      counted(size.blocks, "block"), counted(size.instructions, "instruction"), size.bytes);
  if (size.instructions > 0) {
    put(" ({:.1f} an instruction)", static_cast<double>(size.bytes) / static_cast<double>(size.instructions));
  }
  put("\n");
}

std::string size_as_json(const Size& size) {
  return nlohmann::ordered_json{{"file", size.path},
                                {"functions", size.functions},
                                {"blocks", size.blocks},
                                {"instructions", size.instructions},
                                {"bytes", size.bytes}}
      .dump(2);
}

struct CheckOptions {
  std::vector<std::string> files;
  std::string function;
  std::string target;
  std::string stats = "off";
  LoadOptions load;
};

// Says what the target cannot execute. False if there is something.
bool check_for_target(const Loaded& loaded, const std::vector<const psi::Function*>& functions,
                      const psi::Target& target) {
  psi::Diagnostics diagnostics;
  for (const psi::Function* function : functions) {
    for (const psi::IllegalInst& illegal : psi::illegal_insts(loaded.module, *function, target)) {
      psi::Location where = loaded.map.find(function->symbol, illegal.inst);
      diagnostics.error(where, illegal.reason,
                        fmt::format("function ${}: {}", loaded.module.name(function->symbol),
                                    psi::print(loaded.module, *function, illegal.inst)));
    }
  }
  say(psi::render(diagnostics, loaded.path, loaded.llvm ? std::string_view() : loaded.text,
                  colour_wanted(STDERR_FILENO)));
  return !diagnostics.has_errors();
}

int check(const CheckOptions& options) {
  psi::TargetTable targets = psi::TargetTable::builtin();
  const psi::Target* target = nullptr;
  if (!options.target.empty()) {
    if (int code = find_target(targets, options.target, target)) return code;
  }
  int code = kFine;
  std::vector<std::string> sizes;  // as JSON
  for (const std::string& file : options.files) {
    std::unique_ptr<Loaded> loaded = load(file, options.load);
    if (!loaded) {
      code = kBadInput;
      continue;
    }
    bool is_one = !options.function.empty();
    // A file without functions is correct.
    auto functions =
        is_one ? choose_functions(*loaded, options.function) : std::optional(functions_of(*loaded));
    if (!functions) {
      code = kBadInput;
      continue;
    }
    if (options.stats != "off") {
      Size size = size_of(*loaded, *functions, is_one);
      if (options.stats == "text") print_size(size);
      if (options.stats == "json") sizes.push_back(size_as_json(size));
    }
    if (target && !check_for_target(*loaded, *functions, *target)) code = kBadInput;
  }
  if (options.stats == "json") put(json_array(sizes));
  return code;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Parse and verify files; silent if they are valid");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->files, "Files in psic's textual form, LLVM IR or C")->required();
  command
      ->add_option("--target", options->target,
                   "Also report what this target cannot execute: its name, or the file of its description")
      ->type_name("TARGET");
  add_function(*command, options->function, "With --target and --stats: look at this function only");
  add_load_options(*command, options->load);
  add_report(*command, "--stats", options->stats, {"text", "json"},
             "Print how large they are, in the text and in memory");
  add_examples(*command, {{"psic check program.psi", "says what is wrong with it, if anything is"},
                          {"psic check --target=st200 program.psi", "and what st200 cannot execute"},
                          {"psic gen | psic check --stats -", "how large a random program is"}});
  command->callback([=, &action] { action = [=] { return check(*options); }; });
}

}  // namespace psic
