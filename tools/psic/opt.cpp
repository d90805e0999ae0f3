// psic opt: runs passes over a file.
#include <fmt/format.h>

#include <algorithm>

#include "psi/verify.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct OptOptions {
  std::string file;
  std::string passes;
  std::string output = "-";
  std::string level;  // of optimisation
  std::string stats = "off";
  std::string remarks = "off";
  bool time = false;
  LoadOptions load;
  bool export_all = false;
  std::vector<std::string> machines;
  psi::PipelineOptions pipeline;
};

bool known_passes(std::string_view option, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "all" || psi::PassTable::builtin().find(name)) continue;
    error(fmt::format("{}: there is no pass '{}'; 'psic passes' lists them", option, name));
    return false;
  }
  return true;
}

// What -O2 stands for: a function in plain form goes into SSA form and back. LLVM IR is in SSA form itself,
// so it need not go back.
std::optional<psi::PassList> passes_of_level(const OptOptions& options, const psi::PassTable& table) {
  if (options.level == "0") return psi::PassList();
  std::string list =
      fmt::format("construct,O{}{}", options.level, is_llvm_path(options.output) ? "" : ",destruct");
  std::optional<psi::PassList> passes = load_passes(table, list);
  if (!passes) return passes;
  passes->front().only_from = psi::Form::Plain;
  if (!is_llvm_path(options.output)) passes->back().only_from = psi::Form::Plain;
  return passes;
}

int opt(OptOptions& options) {
  std::optional<Tables> tables = load_tables(options.machines);
  if (!tables) return kBadInput;
  options.pipeline.targets = &tables->targets;
  std::optional<psi::PassList> passes = options.level.empty() ? load_passes(tables->passes, options.passes)
                                                              : passes_of_level(options, tables->passes);
  if (!passes || !known_passes("--print-before", options.pipeline.print_before) ||
      !known_passes("--print-after", options.pipeline.print_after)) {
    return kUsage;
  }
  if (!options.level.empty()) options.load.import = "plain";
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;

  options.pipeline.remarks = options.remarks != "off";
  options.pipeline.dump = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  psi::PipelineResult result = psi::run_passes(loaded->module, *passes, options.pipeline);
  if (int code = finish_passes(loaded->module, result)) return code;
  psi::Diagnostics diagnostics;
  if (!psi::verify(loaded->module, diagnostics)) {
    report_bug("the result does not verify; --verify-each tells which pass broke it");
    fmt::print(stderr, "{}", psi::render(diagnostics, "result", {}));
    return kBug;
  }
  if (options.stats == "text") fmt::print(stderr, "{}", psi::counters_as_text(result));
  if (options.stats == "json") fmt::print(stderr, "{}", psi::counters_as_json(result));
  if (options.remarks == "text") fmt::print(stderr, "{}", psi::remarks_as_text(result));
  if (options.remarks == "json") fmt::print(stderr, "{}", psi::remarks_as_json(result));
  if (options.time) fmt::print(stderr, "{}", psi::times_as_text(result));
  return write_module(*loaded, options.output, options.export_all) ? kFine : kBadInput;
}

}  // namespace

void add_opt(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("opt", "Run passes over a file");
  auto options = std::make_shared<OptOptions>();
  command->add_option("FILE", options->file, "The file to work on")->required();
  CLI::Option* list =
      command
          ->add_option("--passes", options->passes,
                       "What to run: pass,pass(option=value),fixpoint(pass,pass),...; see 'psic passes'")
          ->type_name("LIST");
  command
      ->add_option("-O", options->level,
                   "Optimise: -O1 or -O2, the pipelines of these names, into SSA form and back where needed")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"0", "1", "2"}))
      ->excludes(list);
  command
      ->add_option("-o,--output", options->output,
                   "Where to write the result; as LLVM IR if the name ends in .ll or .bc")
      ->type_name("FILE");
  add_load_options(*command, options->load);
  add_machine_option(*command, options->machines);
  command->add_flag("--export-all", options->export_all,
                    "LLVM IR: also write anew the functions that no pass has changed");
  command
      ->add_flag("--stats{text}", options->stats,
                 "Print what the passes counted, on standard error; --stats=json for JSON")
      ->check(CLI::IsMember({"text", "json"}));
  command
      ->add_flag("--remarks{text}", options->remarks,
                 "Print what the passes did, and what they refused and why, on standard error; "
                 "--remarks=json for JSON")
      ->check(CLI::IsMember({"text", "json"}));
  options->pipeline.threads = 0;
  command
      ->add_option("-j,--jobs", options->pipeline.threads,
                   "How many functions to work on at a time; 0, the default: one for each core")
      ->type_name("N")
      ->check(CLI::Range(0u, 1024u));
  command->add_flag("--time", options->time, "Print the time of each pass, on standard error");
  command->add_flag("--verify-each", options->pipeline.verify_each, "Verify after every pass");
  command
      ->add_option("--print-before", options->pipeline.print_before,
                   "Print each function before this pass, or 'all'")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->delimiter(',');
  command
      ->add_option("--print-after", options->pipeline.print_after,
                   "Print each function after this pass, or 'all'")
      ->type_name("PASS")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->callback([=, &action] { action = [=] { return opt(*options); }; });
}

}  // namespace psic
