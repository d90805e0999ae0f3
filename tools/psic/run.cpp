// psic run: interprets a function of the file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/interp/interpret.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct RunOptions {
  LoadOptions load;
  std::string file;
  std::string function;
  std::vector<std::string> arguments;
  std::string stats = "off";
  std::string stats_of;
  std::string profile_out;
  psi::InterpretOptions interpret;
};

void print_stats(const psi::RunStats& stats, bool json) {
  nlohmann::ordered_json executed = nlohmann::ordered_json::object(), nullified = executed;
  for (int i = 0; i < psi::kNumOpcodes; ++i) {
    std::string name(psi::info(static_cast<psi::Opcode>(i)).name);
    size_t at = static_cast<size_t>(i);
    if (stats.executed[at]) executed[name] = stats.executed[at];
    if (stats.nullified[at]) nullified[name] = stats.nullified[at];
  }
  if (json) {
    nlohmann::ordered_json all = {{"executed", stats.total_executed()},
                                  {"guarded", stats.guarded},
                                  {"nullified", stats.total_nullified()},
                                  {"branches taken", stats.branches_taken},
                                  {"conditional branches", stats.conditional_branches},
                                  {"executed by opcode", executed},
                                  {"nullified by opcode", nullified}};
    say("{}\n", all.dump(2));
    return;
  }
  say("{:>12} instructions executed\n{:>12} of them guarded\n", stats.total_executed(), stats.guarded);
  say("{:>12} instructions nullified\n{:>12} branches taken\n{:>12} conditional branches\n",
      stats.total_nullified(), stats.branches_taken, stats.conditional_branches);
  for (const auto& [name, count] : executed.items()) say("{:>12} {}\n", count.get<uint64_t>(), name);
  for (const auto& [name, count] : nullified.items()) {
    say("{:>12} {} (nullified)\n", count.get<uint64_t>(), name);
  }
}

int run(RunOptions& options) {
  std::unique_ptr<Loaded> loaded = load(options.file, options.load);
  if (!loaded) return kBadInput;
  const psi::Function* function = choose_body(*loaded, options.function);
  if (!function) return kBadInput;
  std::optional<std::vector<psi::Value>> arguments = read_arguments(*loaded, *function, options.arguments);
  if (!arguments) return kUsage;

  if (!options.stats_of.empty()) {
    const psi::Function* counted = choose_body(*loaded, options.stats_of);
    if (!counted) return kBadInput;
    options.interpret.stats_of = counted->symbol;
  }
  options.interpret.profile = !options.profile_out.empty();
  options.interpret.output = [](std::string_view text) { put(text); };
  options.interpret.stop = [] { return is_interrupted() || !output_arrives(); };
  Interruptible interruptible;
  psi::Outcome outcome = psi::interpret(loaded->module, function->symbol, *arguments, options.interpret);
  if (options.stats != "off") print_stats(outcome.stats, options.stats == "json");
  if (options.interpret.profile) {
    psi::apply_profile(loaded->module, outcome);
    if (!write_file(options.profile_out, psi::print(loaded->module))) return kBadInput;
  }
  if (is_interrupted()) {
    say("psic: {} after {}\n", interruption(), counted(outcome.stats.total_executed(), "instruction"));
    end_by_signal();
  }
  if (!output_arrives()) return kBadInput;
  return report_outcome(*loaded, outcome);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Interpret a function and print what it returns");
  auto options = std::make_shared<RunOptions>();
  add_file(*command, options->file, "The file to run");
  command->add_option("ARGS", options->arguments,
                      "The function's arguments, as literals; negative ones after '--'");
  add_function(*command, options->function, "The function to run, if not $main or the only one");
  add_number<uint64_t>(*command, "--fuel", options->interpret.fuel, 1, INT64_MAX,
                       "Stop after this many instructions");
  command->add_flag("--undef-stores", options->interpret.undef_stores, "Allow undef to be stored");
  command->add_flag("--zero-memory", options->interpret.zero_memory,
                    "Let fresh memory hold zeros instead of undef, and undef be stored");
  command->add_flag("--stub-externals", options->interpret.stub_externals,
                    "Let unknown external functions return a number made from their arguments");
  add_load_options(*command, options->load);
  CLI::Option* stats = add_report(*command, "--stats", options->stats, {"text", "json"},
                                  "Print what was executed, on standard error");
  command->add_option("--stats-of", options->stats_of, "With --stats: count in this function alone")
      ->type_name("FUNCTION")
      ->needs(stats)
      ->group(kOutput);
  command->add_option("--profile-out", options->profile_out, "Write the file with the measured counts in it")
      ->type_name("FILE")
      ->group(kOutput);
  add_examples(*command, {{"psic run gcd.psi 12 18", "what the only function returns"},
                          {"psic run clamp.psi --func clamp -- -5 0 9", "negative arguments"},
                          {"psic run program.psi --profile-out measured.psi", "measure a profile"}});
  command->callback([=, &action] { action = [=] { return run(*options); }; });
}

}  // namespace psic
