// --machine: descriptions of machines in files.
#include <fmt/format.h>
#include <unistd.h>

#include "psic/tool.h"

namespace psic {

void add_machine_option(CLI::App& command, std::vector<std::string>& files) {
  command.add_option("--machine", files, "A description of one more target; may be repeated")
      ->type_name("FILE")
      ->group(kInput)
      ->allow_extra_args(false);
}

std::optional<psi::TargetTable> load_machines(const std::vector<std::string>& files) {
  psi::TargetTable table = psi::TargetTable::builtin();
  for (const std::string& file : files) {
    std::optional<std::string> text = read_file(file);
    if (!text) return std::nullopt;
    psi::Result<psi::Target> target = psi::parse_target(*text, &table);
    if (!target) {
      say(psi::render(target, file == "-" ? "<stdin>" : file, *text, colour_wanted(STDERR_FILENO)));
      return std::nullopt;
    }
    (void)table.add(std::move(*target));  // its name is new: parse_target has looked
  }
  return table;
}

const psi::Target* find_target(const psi::TargetTable& table, std::string_view name) {
  if (const psi::Target* target = table.find(name)) return target;
  std::vector<std::string> names;
  for (const psi::Target& target : table.all()) names.push_back(target.name);
  error(fmt::format("there is no target '{}'{}; 'psic targets' lists them", name, similar(name, names)));
  return nullptr;
}

void add_target_options(CLI::App& command, TargetOptions& options) {
  add_machine_option(command, options.files);
  command.add_option("--target", options.name, "The target of passes, where the list does not say it")
      ->type_name("TARGET")
      ->group(kInput);
}

int load_tables(const TargetOptions& options, Tables& tables) {
  std::optional<psi::TargetTable> targets = load_machines(options.files);
  if (!targets) return kBadInput;
  if (!options.name.empty() && !find_target(*targets, options.name)) return kUsage;
  tables = {std::move(*targets), psi::PassTable::builtin()};
  tables.passes.set_targets(tables.targets, options.name);
  return kFine;
}

}  // namespace psic
