// psic fuzz: tests passes on random programs.
#include "psi/testing/fuzz.h"

#include <fmt/format.h>

#include "psic/tool.h"

namespace psic {
namespace {

constexpr uint64_t kMostPrograms = 1'000'000'000'000;
constexpr double kLongestTime = 1e7;  // seconds

struct FuzzCommand {
  psi::FuzzOptions options;
  std::string passes;
  std::string level;  // of optimisation
  std::string target;
  std::string output = "fuzz-failure.psi";
  const CLI::Option* output_option = nullptr;
  psi::Shape shape = psi::Shape::Mixed;
  const CLI::Option* shape_option = nullptr;
  const CLI::Option* count_option = nullptr;
};

// The command that regenerates the program.
std::string gen_command(const psi::GenerateOptions& program) {
  std::string text = fmt::format("psic gen --seed={} --size={} --shape={}", program.seed, program.size,
                                 psi::shape_name(program.shape));
  if (!program.memory) text += " --no-memory";
  if (!program.calls) text += " --no-calls";
  if (!program.floats) text += " --no-floats";
  if (!program.guards) text += " --no-guards";
  if (!program.switches) text += " --no-switches";
  if (!program.externals) text += " --no-externals";
  if (program.pointer_bits != 64) text += fmt::format(" --pointer={}", program.pointer_bits);
  if (program.names) text += " --names";
  if (program.annotations) text += " --annotations";
  return text;
}

void print_failure(const psi::FuzzFailure& failure) {
  say("psic: {}: {}\n", psi::kind_name(failure.kind), failure.why);
  say("psic: the program: {}\n", gen_command(failure.program));
  say("psic: the passes: {}\n", failure.passes);
  if (failure.reduced.empty()) return;
  say("psic: reduced to {} ({}), passes '{}':\n{}", counted(failure.reduced_size, "instruction"),
      failure.reduced_why, failure.passes, failure.reduced);
}

int fuzz(FuzzCommand& command) {
  if (command.output_option->count() > 0 && !can_write(command.output)) return kBadInput;
  Tables tables;
  if (int code = load_tables(command.target, command.passes, tables)) return code;
  std::optional<psi::PassList> passes = command.level.empty() ? load_passes(tables.passes, command.passes)
                                                              : level_passes(tables.passes, command.level);
  if (!passes) return kUsage;
  command.options.targets = &tables.targets;
  command.options.table = &tables.passes;
  if (command.shape_option->count() > 0) command.options.shapes = {command.shape};
  bool is_counted = command.options.max_seconds == 0 || command.count_option->count() > 0;
  if (!is_counted) command.options.count = kMostPrograms;
  psi::FuzzReport report;
  command.options.stop = is_interrupted;
  Interruptible interruptible;
  {
    Progress bar("fuzzing", command.options.max_seconds);
    command.options.progress = [&](const psi::FuzzProgress& progress) {
      bar.show(progress.programs, is_counted ? command.options.count : 0, "programs",
               progress.reduction_tests ? fmt::format("reducing a failure, test {}", progress.reduction_tests)
                                        : counted(progress.failures, "failure"));
    };
    report = psi::fuzz(*passes, command.options);
  }
  // Of a list that somebody wrote, and of no program in particular.
  bool is_wrong_list = !command.options.random_passes && !report.failures.empty() &&
                       report.failures[0].kind == psi::FuzzFailure::Kind::WrongForm;
  if (is_wrong_list) {
    error(report.failures[0].why);
    return kUsage;
  }
  put("{}, {}, {}, {} skipped, {}\n", counted(report.programs, "program"),
      counted(report.instructions, "instruction"), counted(report.runs, "run"), report.skipped,
      counted(report.failures.size(), "failure"));
  if (is_interrupted()) say("psic: {} after {:.1f} s\n", interruption(), report.seconds);
  if (report.failures.empty()) {
    if (is_interrupted()) end_by_signal();
    return kFine;
  }
  for (const psi::FuzzFailure& failure : report.failures) print_failure(failure);
  const psi::FuzzFailure& first = report.failures[0];
  bool written = write_file(command.output, first.reduced.empty() ? first.original : first.reduced);
  report_bug(written
                 ? fmt::format("'{}' gets a program wrong, which is now in {}", first.passes, command.output)
                 : fmt::format("'{}' gets a program wrong", first.passes));
  return kBug;
}

}  // namespace

void add_fuzz(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("fuzz", "Test passes: run random programs before and after them, and compare");
  auto state = std::make_shared<FuzzCommand>();
  psi::FuzzOptions& options = state->options;
  CLI::Option* list =
      add_passes_list(*command, state->passes, "What to test; without passes the other tools are tested");
  CLI::Option* level =
      add_level(*command, state->level, "Test -O1 or -O2, as 'psic opt' runs them")->excludes(list);
  command
      ->add_flag("--random-passes", options.random_passes,
                 "Test passes in random order, with random options, chosen anew for each program")
      ->excludes(list)
      ->excludes(level);
  add_number<uint64_t>(*command, "--seed", options.seed, 0, UINT64_MAX, "Of the first program");
  state->count_option = add_number<uint64_t>(*command, "--count", options.count, 1, kMostPrograms,
                                             "How many programs; with --seconds alone there is no limit");
  add_number<double>(*command, "--seconds", options.max_seconds, 0, kLongestTime,
                     "Stop after this time; 0: no limit");
  add_number<uint64_t>(*command, "--size", options.size, 1, kMostInstructions,
                       "Instructions in the largest programs, about");
  state->shape_option = add_shape_option(*command, state->shape);
  add_pointer_option(*command, options.pointer_bits,
                     "How many bits the programs' pointers have; without, 32 in one of four");
  add_number<uint64_t>(*command, "--max-failures", options.max_failures, 0, kMostPrograms,
                       "Stop after so many; 0: no limit");
  command->add_flag("!--no-reduce", options.reduce, "Do not reduce failures");
  add_target_option(*command, state->target);
  state->output_option =
      add_output(*command, state->output, "Where a failing program goes")->capture_default_str();
  add_examples(
      *command,
      {{"psic fuzz --passes=construct,gvn,destruct --count=10000", "does gvn keep what programs mean?"},
       {"psic fuzz --random-passes --seconds=60", "all passes, in any order, for a minute"}});
  command->callback([=, &action] { action = [=] { return fuzz(*state); }; });
}

}  // namespace psic
