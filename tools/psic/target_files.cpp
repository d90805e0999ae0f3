// --target, and options of passes called `target`: the name of a target, or the file of its description.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "psic/tool.h"

namespace psic {
namespace {

// Reads the file into the table; complains if it cannot.
bool load_target(psi::TargetTable& table, const std::string& file) {
  std::optional<std::string> text = read_file(file);
  if (!text) return false;
  psi::Result<psi::Target> target = psi::parse_target(*text);
  if (!target) {
    say(psi::render(target, file == "-" ? "<stdin>" : file, *text, colour_wanted(STDERR_FILENO)));
    return false;
  }
  psi::Result<void> added = table.add(std::move(*target), file);
  if (!added) error(added.diagnostics().first_error());
  return added.ok();
}

}  // namespace

int find_target(psi::TargetTable& table, const std::string& name_or_file, const psi::Target*& target) {
  target = table.find(name_or_file);
  if (target) return kFine;
  if (psi::is_target_file(name_or_file)) {
    if (!load_target(table, name_or_file)) return kBadInput;
    target = table.find(name_or_file);
    return kFine;
  }
  error(
      fmt::format("there is no target '{}'{}; 'psic targets' lists them, and the file of a description has "
                  "a '/' in its name or ends in .target",
                  name_or_file, similar(name_or_file, table.words())));
  return kUsage;
}

void add_target_option(CLI::App& command, std::string& target) {
  command
      .add_option("--target", target,
                  "The target of passes, where the list does not say it: its name, or the file of its "
                  "description")
      ->type_name("TARGET")
      ->group(kInput);
}

int load_tables(const std::string& target, const std::string& passes, Tables& tables) {
  tables = {psi::TargetTable::builtin(), psi::PassTable::builtin()};
  const psi::Target* found = nullptr;
  if (!target.empty()) {
    if (int code = find_target(tables.targets, target, found)) return code;
  }
  for (const std::string& named : psi::targets_in_passes(passes)) {
    // Where it is no file the parser of the list complains, with a caret.
    if (!psi::is_target_file(named)) continue;
    if (int code = find_target(tables.targets, named, found)) return code;
  }
  tables.passes.set_targets(tables.targets, target);
  return kFine;
}

void tell_ignored_target(const std::string& target, const psi::PassList& passes) {
  auto has_target = [](const psi::PassCall& call) {
    return std::ranges::any_of(call.pass->options, [](const psi::PassOption& option) {
      return option.kind == psi::PassOption::Kind::Target;
    });
  };
  if (target.empty() || std::ranges::any_of(passes, has_target)) return;
  say("psic: note: --target={} changes nothing: none of the passes has a target\n", target);
}

}  // namespace psic
