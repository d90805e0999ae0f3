// psic reduce: makes an interesting program small.
#include "psi/reduce.h"

#include <fmt/format.h>

#include "psi/fuzz.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct ReduceCommand {
  std::string file;
  std::string test;
  std::string passes;
  std::vector<std::string> machines;
  const CLI::Option* passes_option = nullptr;
  std::string output = "-";
  uint64_t seed = 1;
  psi::CommandOptions command;
  psi::ReduceOptions options;
};

int reduce(ReduceCommand& command) {
  if (command.test.empty() == (command.passes_option->count() == 0)) {
    error("say what is interesting, with either --test or --passes");
    return kUsage;
  }
  std::optional<Tables> tables = load_tables(command.machines);
  if (!tables) return kBadInput;
  std::optional<psi::PassList> passes = load_passes(tables->passes, command.passes);
  if (!passes) return kUsage;
  LoadOptions load_options;
  load_options.verify = command.options.verify;
  std::unique_ptr<Loaded> loaded = load(command.file, load_options);
  if (!loaded) return kBadInput;

  uint64_t before = psi::count_instructions(loaded->module);
  psi::ReduceResult result;
  {
    Progress bar("reducing");
    command.options.progress = [&](const psi::ReduceProgress& progress) {
      bar.show(before - std::min(before, progress.instructions), before,
               fmt::format("instructions gone, test {}: {}", progress.tests, progress.step));
    };
    if (!command.test.empty()) {
      result =
          psi::reduce_with_command(std::move(loaded->module), command.test, command.command, command.options);
    } else {
      // As the whole program does, not in any way: most programs can be cut down to undefined behaviour.
      std::optional<psi::FuzzFailure::Kind> kind;
      psi::ReduceTest fails = [&](const psi::Module& module) {
        psi::FuzzReport report;
        psi::FuzzOptions options;
        options.targets = &tables->targets;
        std::optional<psi::FuzzFailure> failure =
            psi::fuzz_module(module, *passes, command.seed, options, report);
        if (failure && !kind) kind = failure->kind;
        return failure && failure->kind == *kind;
      };
      result = psi::reduce(std::move(loaded->module), fails, command.options);
    }
  }
  if (!result.interesting) {
    error(command.test.empty() ? fmt::format("'{}' gets {} right", command.passes, loaded->path)
                               : fmt::format("the test does not succeed on {}", loaded->path));
    return kBadInput;
  }
  fmt::print(stderr, "psic: {} instructions left of {}, after {} tests{}\n",
             psi::count_instructions(result.module), before, result.tests,
             result.finished ? "" : " (stopped by a limit)");
  return write_file(command.output, psi::print(result.module)) ? kFine : kBadInput;
}

}  // namespace

void add_reduce(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("reduce", "Make a program small that still shows something");
  auto state = std::make_shared<ReduceCommand>();
  command->add_option("FILE", state->file, "The program")->required();
  command
      ->add_option("--test", state->test,
                   "Shell command that succeeds on an interesting file, its last argument")
      ->type_name("COMMAND");
  state->passes_option =
      command->add_option("--passes", state->passes, "Interesting: these passes get the program wrong")
          ->type_name("LIST");
  add_machine_option(*command, state->machines);
  command->add_option("--seed", state->seed, "Of the arguments that functions are run on, with --passes")
      ->capture_default_str();
  command->add_option("--timeout", state->command.timeout_seconds, "Seconds for one run of the command")
      ->capture_default_str();
  command->add_option("--max-tests", state->options.max_tests, "Stop after so many tests")
      ->capture_default_str();
  command->add_flag("!--no-verify", state->options.verify, "Also try programs that do not verify");
  command->add_option("-o,--output", state->output, "Where the result goes")->type_name("FILE");
  command->callback([=, &action] { action = [=] { return reduce(*state); }; });
}

}  // namespace psic
