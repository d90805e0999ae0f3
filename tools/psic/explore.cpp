// psic explore: what passes do to a file, step by step, as a page or as data.
#include "psi/explore/explore.h"

#include <fmt/format.h>

#include <filesystem>

#include "psic/explorer_page.h"
#include "psic/serve.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct ExploreOptions {
  std::string file;
  std::string function;
  std::string passes;
  std::string level;
  std::string target;
  std::string output;
  bool json = false;
  bool serves = false;
  uint16_t port = 0;
  bool times = false;
  LoadOptions load;
};

// What is shown if nothing else is asked for: from plain form to plain form that the target can execute.
// Functions in SSA form begin behind the first pass.
std::optional<psi::PassList> default_passes(const psi::PassTable& table, std::string& list) {
  list = "codegen";
  std::optional<psi::PassList> passes = load_passes(table, list);
  if (passes) passes->front().only_from = psi::Form::Plain;
  return passes;
}

std::string language_of(const Loaded& loaded) {
  if (!loaded.llvm) return "psi";
  return loaded.path.ends_with(".c") ? "c" : "llvm";
}

// The name of the file without its folder and its ending.
std::string default_output(const ExploreOptions& options) {
  if (options.json || options.file == "-") return "-";
  return std::filesystem::path(options.file).filename().replace_extension(".html");
}

int explore(ExploreOptions& options) {
  if (options.serves) {
    std::string list = options.level.empty() ? options.passes : "-" + options.level;
    return serve({options.file, list, options.target, options.port});
  }
  if (options.file.empty()) {
    error("a FILE is needed, or --serve");
    return kUsage;
  }
  if (options.output.empty()) options.output = default_output(options);
  if (!can_write(options.output)) return kBadInput;
  Tables tables;
  if (int code = load_tables(options.target, options.passes, tables)) return code;
  std::string list = options.passes;
  std::optional<psi::PassList> passes;
  if (!options.level.empty()) {
    list = "-" + options.level;
    passes = level_passes(tables.passes, options.level);
  } else {
    passes = list.empty() ? default_passes(tables.passes, list) : load_passes(tables.passes, list);
  }
  if (!passes) return kUsage;
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  std::optional<std::vector<const psi::Function*>> functions = choose_functions(*loaded, options.function);
  if (!functions) return kBadInput;
  psi::ExploreOptions wanted;
  wanted.file = loaded->path;
  wanted.language = language_of(*loaded);
  wanted.source = loaded->text;
  wanted.passes = list;
  wanted.times = options.times;
  wanted.targets = &tables.targets;
  if (!options.function.empty()) wanted.only = functions->front()->symbol;
  std::string data = psi::explore_as_json(loaded->module, *passes, wanted);
  if (!options.json) data = explorer_page(data);
  return write_file(options.output, data) ? kFine : kBadInput;
}

}  // namespace

void add_explore(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("explore", "Show what passes do to a file, step by step, as a page");
  auto options = std::make_shared<ExploreOptions>();
  command->add_option("FILE", options->file, "The file to look at; with --serve the one to begin with")
      ->type_name("");
  CLI::Option* list = add_passes_list(
      *command, options->passes,
      "What to run: pass,pass(option=value),...; all that code generation takes if there is no list");
  add_level(*command, options->level, "-O1 or -O2: the pipelines of these names, into SSA form and back")
      ->excludes(list);
  add_function(*command, options->function);
  add_load_options(*command, options->load);
  add_target_option(*command, options->target);
  add_output(*command, options->output, "Where to write; FILE.html by default, standard output for --json");
  CLI::Option* json = add_json(*command, options->json);
  command->add_flag("--time", options->times, "With the time of each pass, which differs from run to run")
      ->group(kOutput);
  constexpr const char* kServer = "A program that is edited in the page";
  CLI::Option* serves = command
                            ->add_flag("--serve", options->serves,
                                       "Serve the page on this machine, for C, until it is interrupted")
                            ->excludes(json)
                            ->group(kServer);
  add_number<uint16_t>(*command, "--port", options->port, 0, UINT16_MAX, "The port; 0: any that is free")
      ->needs(serves)
      ->group(kServer);
  add_examples(*command,
               {{"psic explore program.psi", "a page, program.html, of all that codegen does"},
                {"psic explore -O2 program.psi -o page.html", "a page of the passes of -O2"},
                {"psic explore --json --passes=if-convert,destruct program.psi", "data for programs"},
                {"psic explore --serve --port=8080 kernel.c", "a page in which the program is edited"}});
  command->callback([=, &action] { action = [=] { return explore(*options); }; });
}

}  // namespace psic
