// psic opt: runs passes over a file.
#include <fmt/format.h>

#include <algorithm>

#include "psi/verify/verify.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct OptOptions {
  std::string file;
  std::string passes;
  std::string function;
  std::string output = "-";
  std::string level;  // of optimisation
  std::string stats = "off";
  std::string remarks = "off";
  std::string time = "off";
  LoadOptions load;
  bool export_all = false;
  std::string target;
  psi::PipelineOptions pipeline;
};

bool known_passes(std::string_view option, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "all" || psi::PassTable::builtin().find(name)) continue;
    std::vector<std::string> known;
    for (const psi::Pass& pass : psi::PassTable::builtin().all()) known.push_back(pass.name);
    error(fmt::format("{}: there is no pass '{}'{}; 'psic passes' lists them", option, name,
                      similar(name, known)));
    return false;
  }
  return true;
}

int opt(OptOptions& options) {
  Tables tables;
  if (int code = load_tables(options.target, options.passes, tables)) return code;
  options.pipeline.targets = &tables.targets;
  std::optional<psi::PassList> passes =
      options.level.empty() ? load_passes(tables.passes, options.passes)
                            : level_passes(tables.passes, options.level, !is_llvm_path(options.output));
  if (!passes || !known_passes("--print-before", options.pipeline.print_before) ||
      !known_passes("--print-after", options.pipeline.print_after)) {
    return kUsage;
  }
  tell_ignored_target(options.target, *passes);
  if (!options.level.empty()) options.load.import = "plain";
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;

  const psi::Function* only = nullptr;
  if (!options.function.empty()) {
    auto chosen = choose_functions(*loaded, options.function);
    if (!chosen) return kBadInput;
    only = chosen->front();
  }

  options.pipeline.by_function = options.stats.starts_with("functions");
  options.pipeline.remarks = options.remarks != "off";
  options.pipeline.dump = [](std::string_view text) { say(text); };
  psi::PipelineResult result =
      only ? psi::run_passes(loaded->module, loaded->module.function(only->symbol), *passes, options.pipeline)
           : psi::run_passes(loaded->module, *passes, options.pipeline);
  if (int code = finish_passes(loaded->module, result)) return code;
  if (psi::Result<void> verified = psi::verifies(loaded->module); !verified) {
    report_bug("the result does not verify; --verify-each tells which pass broke it");
    say("{}", psi::render(verified, "result", {}));
    return kBug;
  }
  if (options.stats == "text") say(psi::counters_as_text(*result));
  if (options.stats == "json") say(psi::counters_as_json(*result));
  if (options.stats == "functions") say(psi::counters_by_function_as_text(*result, loaded->module));
  if (options.stats == "functions-json") say(psi::counters_by_function_as_json(*result, loaded->module));
  if (options.remarks == "text") say(psi::remarks_as_text(*result));
  if (options.remarks == "json") say(psi::remarks_as_json(*result));
  if (options.time == "text") say(psi::times_as_text(*result));
  if (options.time == "json") say(psi::times_as_json(*result));
  return write_module(*loaded, options.output, options.export_all) ? kFine : kBadInput;
}

}  // namespace

void add_opt(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("opt", "Run passes over a file");
  auto options = std::make_shared<OptOptions>();
  add_file(*command, options->file, "The file to work on");
  CLI::Option* list = add_passes_list(
      *command, options->passes,
      "What to run: pass,pass(option=value),fixpoint(pass,pass),...; 'psic passes' lists them");
  add_level(*command, options->level,
            "Optimise: -O1 or -O2, the pipelines of these names, into SSA form and back where needed")
      ->excludes(list);
  add_function(*command, options->function, "Work on this function only");
  options->pipeline.threads = 0;
  add_number<uint32_t>(*command, "-j,--jobs", options->pipeline.threads, 0, 1024,
                       "How many functions to work on at a time; 0: one for each core");
  add_load_options(*command, options->load);
  add_target_option(*command, options->target);
  add_output(*command, options->output,
             "Where to write the result; as LLVM IR if the name ends in .ll or .bc");
  command
      ->add_flag("--export-all", options->export_all,
                 "LLVM IR: rewrite also the functions that no pass has changed")
      ->group(kOutput);
  add_report(*command, "--stats", options->stats, {"text", "json", "functions", "functions-json"},
             "Print what the passes counted, on standard error");
  add_report(*command, "--remarks", options->remarks, {"text", "json"},
             "Print what the passes did, and what they refused and why, on standard error");
  add_report(*command, "--time", options->time, {"text", "json"},
             "Print the time of each pass, on standard error");
  constexpr const char* kDebugging = "To find a pass that is wrong";
  command->add_flag("--verify-each", options->pipeline.verify_each, "Verify after every pass")
      ->group(kDebugging);
  auto add_dump = [&](const char* name, std::vector<std::string>& passes, const char* description) {
    command->add_option(name, passes, description)
        ->type_name("PASS")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->group(kDebugging);
  };
  add_dump("--print-before", options->pipeline.print_before,
           "Print each function before this pass, or 'all'");
  add_dump("--print-after", options->pipeline.print_after, "Print each function after this pass, or 'all'");
  add_examples(*command, {{"psic opt -O2 program.psi -o better.psi", "optimise, into SSA form and back"},
                          {"psic opt --passes=construct,if-convert,destruct --target=st200 program.psi",
                           "selects in the place of branches, for a target that has them"},
                          {"psic opt --passes=construct,gvn --stats --remarks program.psi",
                           "what gvn did, and did not"}});
  command->callback([=, &action] { action = [=] { return opt(*options); }; });
}

}  // namespace psic
