// psic check-target: judges descriptions of targets.
#include <fmt/format.h>
#include <unistd.h>

#include "psi/judge/judge_target.h"
#include "psi/target/target.h"
#include "psic/tool.h"

namespace psic {
namespace {

struct CheckTargetOptions {
  std::vector<std::string> targets;
};

// The text and what to call it.
bool find_text(const std::string& name_or_file, std::string& text, std::string& file) {
  if (psi::is_target_file(name_or_file)) {
    std::optional<std::string> read = read_file(name_or_file);
    if (!read) return false;
    text = std::move(*read);
    file = name_or_file == "-" ? "<stdin>" : name_or_file;
    return true;
  }
  psi::TargetTable table = psi::TargetTable::builtin();
  const psi::Target* target = nullptr;
  if (find_target(table, name_or_file, target) != kFine) return false;
  text = psi::builtin_target_text(target->name);
  file = name_or_file + ".target";
  return true;
}

int check_targets(const CheckTargetOptions& options) {
  int code = kFine;
  for (const std::string& name_or_file : options.targets) {
    std::string text, file;
    if (!find_text(name_or_file, text, file)) {
      code = kBadInput;
      continue;
    }
    psi::Result<psi::Target> target = psi::parse_target(text);
    psi::Diagnostics diagnostics = target.diagnostics();
    if (target && target->description) diagnostics.add(psi::judge_target(*target->description));
    say(psi::render(diagnostics, file, text, colour_wanted(STDERR_FILENO)));
    if (diagnostics.has_errors()) code = kBadInput;
  }
  return code;
}

}  // namespace

void add_check_target(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("check-target", "Judge descriptions of targets; silent if nothing is wrong");
  auto options = std::make_shared<CheckTargetOptions>();
  command
      ->add_option(
          "TARGET", options->targets,
          "Descriptions to judge: files, or names of built-in targets. Of a complete one also what it "
          "covers, what is never selected, and what its sequences do")
      ->required();
  add_examples(*command, {{"psic check-target mine.target", "says what is wrong with it, if anything is"},
                          {"psic check-target tiny playdoh", "the same for built-in targets"}});
  command->callback([=, &action] { action = [=] { return check_targets(*options); }; });
}

}  // namespace psic
