// psic simulate: executes a function of machine instructions, cycle by cycle.
#include "psi/simulate/simulate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "psi/target/description.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct SimulateCommand {
  LoadOptions load;
  std::string file;
  std::string function;
  std::vector<std::string> arguments;
  std::string target;
  std::string stats = "off";
  bool by_function = false;
  bool checks = false;
  psi::SimulateOptions simulate;
};

// The description of the target that is asked for, or that the function names. Null, with a complaint and the
// exit code, if there is none.
const psi::TargetDescription* find_description(const Loaded& loaded, const psi::Function& function,
                                               const SimulateCommand& command, psi::TargetTable& targets,
                                               int& code) {
  std::string name = command.target;
  code = kBadInput;
  if (name.empty()) {
    if (!function.instruction_set) {
      error(fmt::format("${} has no machine instructions: it is not selected",
                        loaded.module.name(function.symbol)));
      return nullptr;
    }
    name = function.instruction_set->name();
  }
  const psi::Target* target = nullptr;
  if (int wrong = find_target(targets, name, target)) {
    code = wrong;
    return nullptr;
  }
  if (target->description) return target->description.get();
  error(fmt::format("target {} has no instructions in its description, so nothing can be simulated for it",
                    target->name));
  return nullptr;
}

nlohmann::ordered_json json_of(const psi::CycleStats& stats, const psi::MachineTiming& timing) {
  nlohmann::ordered_json stalls = nlohmann::ordered_json::object();
  for (size_t i = 0; i < stats.operand_stalls.size(); ++i) {
    if (stats.operand_stalls[i] == 0) continue;
    stalls[i < timing.classes.size() ? timing.classes[i].name : "other"] = stats.operand_stalls[i];
  }
  return {{"cycles", stats.cycles()},
          {"packets", stats.packets},
          {"operations", stats.operations},
          {"nullified", stats.nullified},
          {"branches", stats.branches},
          {"taken", stats.taken},
          {"calls", stats.calls},
          {"stalls", stats.stalls()},
          {"stalls for results of", stalls},
          {"stalls for slots", stats.slot_stalls},
          {"branch cycles", stats.branch_cycles}};
}

void print_table(const psi::Simulation& made, const Loaded& loaded) {
  size_t width = 8;
  for (const psi::FunctionCycles& each : made.functions) {
    width = std::max(width, loaded.module.name(each.function).size() + 1);
  }
  say("\n{:<{}} {:>10} {:>14} {:>14} {:>14} {:>12} {:>12} {:>12}\n", "function", width, "calls", "cycles",
      "packets", "operations", "nullified", "stalls", "taken");
  for (const psi::FunctionCycles& each : made.functions) {
    const psi::CycleStats& stats = each.stats;
    say("{:<{}} {:>10} {:>14} {:>14} {:>14} {:>12} {:>12} {:>12}\n",
        fmt::format("${}", loaded.module.name(each.function)), width, stats.calls, stats.cycles(),
        stats.packets, stats.operations, stats.nullified, stats.stalls(), stats.taken);
  }
}

void print_stats(const psi::Simulation& made, const psi::MachineTiming& timing, const Loaded& loaded,
                 const SimulateCommand& command) {
  const psi::CycleStats& total = made.total;
  if (command.stats == "json") {
    nlohmann::ordered_json all = json_of(total, timing);
    if (command.by_function) {
      nlohmann::ordered_json functions = nlohmann::ordered_json::array();
      for (const psi::FunctionCycles& each : made.functions) {
        nlohmann::ordered_json one = {{"function", loaded.module.name(each.function)}};
        one.update(json_of(each.stats, timing));
        functions.push_back(one);
      }
      all["functions"] = functions;
    }
    say("{}\n", all.dump(2));
    return;
  }
  auto line = [](uint64_t count, std::string_view what) { say("{:>12} {}\n", count, what); };
  line(total.cycles(), "cycles");
  line(total.packets, "packets issued");
  line(total.operations, "operations in them");
  line(total.nullified, "of these nullified");
  line(total.branches, "branches");
  line(total.taken, "of these taken");
  line(total.branch_cycles, "cycles lost by taken branches, calls and returns");
  for (size_t i = 0; i < total.operand_stalls.size(); ++i) {
    if (total.operand_stalls[i] == 0) continue;
    line(total.operand_stalls[i], fmt::format("cycles waiting for results of {}",
                                              i < timing.classes.size() ? timing.classes[i].name : "others"));
  }
  if (total.slot_stalls != 0) line(total.slot_stalls, "cycles waiting for slots that are busy");
  if (command.by_function) print_table(made, loaded);
}

// Does the interpreter see the same program do the same?
bool agrees(const Loaded& loaded, const psi::Function& function, std::span<const psi::Value> arguments,
            const psi::Outcome& simulated, const SimulateCommand& command) {
  psi::InterpretOptions options = command.simulate.run;
  options.output = nullptr;
  psi::Outcome interpreted = psi::interpret(loaded.module, function.symbol, arguments, options);
  psi::Result<void> same = psi::refines(interpreted, simulated);
  if (same) return true;
  error(fmt::format("interpreted and simulated runs differ: {}", same.diagnostics().first_error()));
  return false;
}

int run(SimulateCommand& command) {
  psi::TargetTable targets = psi::TargetTable::builtin();
  if (!command.target.empty()) {
    const psi::Target* target = nullptr;
    if (int code = find_target(targets, command.target, target)) return code;
  }
  command.load.targets = &targets;
  std::unique_ptr<Loaded> loaded = load(command.file, command.load);
  if (!loaded) return kBadInput;
  const psi::Function* function = choose_body(*loaded, command.function);
  if (!function) return kBadInput;
  int code = kFine;
  const psi::TargetDescription* description = find_description(*loaded, *function, command, targets, code);
  if (!description) return code;
  std::optional<std::vector<psi::Value>> arguments = read_arguments(*loaded, *function, command.arguments);
  if (!arguments) return kUsage;

  psi::MachineTiming timing = psi::timing_of(*description);
  command.simulate.run.output = [](std::string_view text) { put(text); };
  command.simulate.run.stop = [] { return is_interrupted() || !output_arrives(); };
  command.simulate.run.record = command.checks;
  command.simulate.trace_output = [](std::string_view text) { say("{}", text); };
  Interruptible interruptible;
  psi::Simulation made =
      psi::simulate(loaded->module, function->symbol, *arguments, timing, command.simulate);
  if (command.stats != "off" || command.by_function) print_stats(made, timing, *loaded, command);
  if (is_interrupted()) {
    say("psic: {} after {}\n", interruption(), counted(made.total.cycles(), "cycle"));
    end_by_signal();
  }
  if (!output_arrives()) return kBadInput;
  code = report_outcome(*loaded, made.outcome);
  bool ended = code == kFine || made.outcome.status == psi::Outcome::Status::Undefined ||
               made.outcome.status == psi::Outcome::Status::Aborted;
  if (command.checks && ended && !agrees(*loaded, *function, *arguments, made.outcome, command)) {
    return kBadInput;
  }
  return code;
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("simulate", "Execute a function of machine instructions by cycles");
  auto options = std::make_shared<SimulateCommand>();
  add_file(*command, options->file, "The file to run");
  command->add_option("ARGS", options->arguments,
                      "The function's arguments, as literals; negative ones after '--'");
  add_function(*command, options->function, "The function to run, if not $main or the only one");
  command
      ->add_option("--target", options->target,
                   "The machine, if not the one that the function names: its name, or the file of its "
                   "description")
      ->type_name("TARGET")
      ->group(kInput);
  psi::InterpretOptions& run_options = options->simulate.run;
  add_number<uint64_t>(*command, "--fuel", run_options.fuel, 1, INT64_MAX,
                       "Stop after this many steps of the instructions' meanings");
  command->add_flag("--undef-stores", run_options.undef_stores, "Allow undef to be stored");
  command->add_flag("--zero-memory", run_options.zero_memory,
                    "Let fresh memory hold zeros instead of undef, and undef be stored");
  command->add_flag("--stub-externals", run_options.stub_externals,
                    "Let unknown external functions return a number made from their arguments");
  command->add_flag("--check", options->checks, "Compare what the program does with the interpreter");
  add_load_options(*command, options->load);
  add_report(*command, "--stats", options->stats, {"text", "json"},
             "Print cycles, packets, operations, stalls and branches, on standard error");
  command->add_flag("--by-function", options->by_function, "Print these for each function, too")
      ->group(kOutput);
  add_number<uint64_t>(*command, "--trace", options->simulate.trace, 0, INT64_MAX,
                       "Show so many packets with their cycles, slots and values, on standard error")
      ->group(kOutput);
  add_examples(*command, {{"psic simulate --stats dot.psi 8", "what the function returns, and its cycles"},
                          {"psic simulate --trace=40 dot.psi 8", "the first 40 packets, one by one"},
                          {"psic simulate --target=./my.target --check program.psi",
                           "a whole program on a machine of your own, compared with the interpreter"}});
  command->callback([=, &action] { action = [=] { return run(*options); }; });
}

}  // namespace psic
