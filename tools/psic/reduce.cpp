// psic reduce: reduces a program while it stays interesting.
#include "psi/testing/reduce.h"

#include <fmt/format.h>

#include "psi/testing/fuzz.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct ReduceCommand {
  std::string file;
  std::string test;
  std::string passes;
  std::string target;
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
  if (!can_write(command.output)) return kBadInput;
  Tables tables;
  if (int code = load_tables(command.target, command.passes, tables)) return code;
  std::optional<psi::PassList> passes = load_passes(tables.passes, command.passes);
  if (!passes) return kUsage;
  LoadOptions load_options;
  load_options.verify = command.options.verify;
  std::unique_ptr<Loaded> loaded = load(command.file, load_options);
  if (!loaded) return kBadInput;

  uint64_t before = psi::count_instructions(loaded->module);
  std::string wrong_list;  // what is wrong with it, whatever the program
  psi::ReduceResult result;
  command.options.stop = is_interrupted;
  Interruptible interruptible;
  {
    Progress bar("reducing");
    command.options.progress = [&](const psi::ReduceProgress& progress) {
      bar.show(before - std::min(before, progress.instructions), before, "instructions gone",
               fmt::format("test {}: {}", progress.tests, progress.step));
    };
    if (!command.test.empty()) {
      result =
          psi::reduce_with_command(std::move(loaded->module), command.test, command.command, command.options);
    } else {
      // The kind of the original failure must be kept: most programs can be reduced to undefined behaviour.
      std::optional<psi::FuzzFailure::Kind> kind;
      psi::ReduceTest fails = [&](const psi::Module& module) {
        psi::FuzzReport report;
        psi::FuzzOptions options;
        options.targets = &tables.targets;
        std::optional<psi::FuzzFailure> failure =
            psi::fuzz_module(module, *passes, command.seed, options, report);
        if (failure && failure->kind == psi::FuzzFailure::Kind::WrongForm) {
          wrong_list = failure->why;
          return false;
        }
        if (failure && !kind) kind = failure->kind;
        return failure && failure->kind == *kind;
      };
      result = psi::reduce(std::move(loaded->module), fails, command.options);
    }
  }
  if (!result.interesting) {
    if (is_interrupted()) end_by_signal();
    if (!wrong_list.empty()) {
      error(wrong_list);
      return kUsage;
    }
    error(command.test.empty() ? fmt::format("'{}' gets {} right", command.passes, loaded->path)
                               : fmt::format("the test does not succeed on {}", loaded->path));
    return kBadInput;
  }
  say("psic: {} left of {}, after {}{}\n", counted(psi::count_instructions(result.module), "instruction"),
      before, counted(result.tests, "test"),
      result.finished    ? ""
      : is_interrupted() ? fmt::format(" ({})", interruption())
                         : " (stopped by a limit)");
  bool is_written = write_file(command.output, psi::print(result.module));
  if (is_interrupted()) end_by_signal();
  return is_written ? kFine : kBadInput;
}

}  // namespace

void add_reduce(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("reduce", "Reduce a program while it stays interesting");
  auto state = std::make_shared<ReduceCommand>();
  add_file(*command, state->file, "The program");
  command
      ->add_option("--test", state->test,
                   "Shell command that succeeds on an interesting file, its last argument")
      ->type_name("COMMAND");
  state->passes_option =
      add_passes_list(*command, state->passes, "Interesting: these passes get the program wrong");
  add_number<uint64_t>(*command, "--seed", state->seed, 0, UINT64_MAX,
                       "Of the arguments that functions are run on, with --passes");
  add_number<double>(*command, "--timeout", state->command.timeout_seconds, 0, 1e6,
                     "Seconds for one run of the command; 0: no limit");
  add_number<uint64_t>(*command, "--max-tests", state->options.max_tests, 0, 1'000'000'000,
                       "Stop after so many tests; 0: no limit");
  command->add_flag("!--no-verify", state->options.verify, "Also try programs that do not verify");
  add_target_option(*command, state->target);
  add_output(*command, state->output, "Where the result goes");
  add_examples(*command,
               {{"psic reduce big.psi --test 'grep -q cmpp' -o small.psi", "the smallest with a cmpp"},
                {"psic reduce big.psi --passes=construct,gvn,destruct", "what these passes get wrong"}});
  command->callback([=, &action] { action = [=] { return reduce(*state); }; });
}

}  // namespace psic
