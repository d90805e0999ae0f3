// psic fuzz: tests passes on random programs.
#include "psi/fuzz.h"

#include <fmt/format.h>

#include "psic/tool.h"

namespace psic {
namespace {

struct FuzzCommand {
  psi::FuzzOptions options;
  std::string passes;
  std::vector<std::string> machines;
  std::string output = "fuzz-failure.psi";
  psi::Shape shape = psi::Shape::Mixed;
  const CLI::Option* shape_option = nullptr;
};

// The command that makes the program again.
std::string gen_command(const psi::GenerateOptions& program) {
  std::string text = fmt::format("psic gen --seed={} --size={} --shape={}", program.seed, program.size,
                                 psi::shape_name(program.shape));
  if (!program.memory) text += " --no-memory";
  if (!program.calls) text += " --no-calls";
  if (!program.floats) text += " --no-floats";
  if (!program.guards) text += " --no-guards";
  if (!program.switches) text += " --no-switches";
  if (!program.externals) text += " --no-externals";
  if (program.names) text += " --names";
  if (program.annotations) text += " --annotations";
  return text;
}

void print_failure(const psi::FuzzFailure& failure) {
  fmt::print(stderr, "psic: {}: {}\n", psi::kind_name(failure.kind), failure.why);
  fmt::print(stderr, "psic: the program: {}\n", gen_command(failure.program));
  fmt::print(stderr, "psic: the passes: {}\n", failure.passes);
  if (failure.reduced.empty()) return;
  fmt::print(stderr, "psic: reduced to {} instructions ({}), passes '{}':\n{}", failure.reduced_size,
             failure.reduced_why, failure.passes, failure.reduced);
}

int fuzz(FuzzCommand& command) {
  std::optional<Tables> tables = load_tables(command.machines);
  if (!tables) return kBadInput;
  std::optional<psi::PassList> passes = load_passes(tables->passes, command.passes);
  if (!passes) return kUsage;
  command.options.targets = &tables->targets;
  command.options.table = &tables->passes;
  if (command.shape_option->count() > 0) command.options.shapes = {command.shape};
  psi::FuzzReport report;
  {
    Progress bar("fuzzing");
    command.options.progress = [&](const psi::FuzzProgress& progress) {
      bar.show(progress.programs, command.options.count,
               progress.reduction_tests ? fmt::format("reducing a failure, test {}", progress.reduction_tests)
                                        : fmt::format("{} failures", progress.failures));
    };
    report = psi::fuzz(*passes, command.options);
  }
  fmt::print("{} programs, {} instructions, {} runs, {} skipped, {} failures\n", report.programs,
             report.instructions, report.runs, report.skipped, report.failures.size());
  if (report.failures.empty()) return kFine;
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
      command
          ->add_option("--passes", state->passes, "What to test; without passes the other tools are tested")
          ->type_name("LIST");
  command
      ->add_flag("--random-passes", options.random_passes,
                 "Test passes in random order, with random options, other ones for each program")
      ->excludes(list);
  add_machine_option(*command, state->machines);
  command->add_option("--seed", options.seed, "Of the first program")->capture_default_str();
  command->add_option("--count", options.count, "How many programs")->capture_default_str();
  command->add_option("--seconds", options.max_seconds, "Stop after this time")->type_name("SECONDS");
  command->add_option("--size", options.size, "Instructions in the largest programs, about")
      ->capture_default_str();
  state->shape_option = add_shape_option(*command, state->shape);
  command->add_option("--max-failures", options.max_failures, "Stop after so many")->capture_default_str();
  command->add_flag("!--no-reduce", options.reduce, "Do not reduce failures");
  command->add_option("-o,--output", state->output, "Where a failing program goes")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([=, &action] { action = [=] { return fuzz(*state); }; });
}

}  // namespace psic
