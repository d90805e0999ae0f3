// --machine: descriptions of machines in files.
#include <fmt/format.h>
#include <unistd.h>

#include "psic/tool.h"

namespace psic {

void add_machine_option(CLI::App& command, std::vector<std::string>& files) {
  command.add_option("--machine", files, "A description of one more machine; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

std::optional<psi::TargetTable> load_machines(const std::vector<std::string>& files) {
  psi::TargetTable table = psi::TargetTable::builtin();
  for (const std::string& file : files) {
    std::optional<std::string> text = read_file(file);
    if (!text) return std::nullopt;
    psi::Diagnostics diagnostics;
    std::optional<psi::Target> target = psi::parse_target(*text, diagnostics, &table);
    if (!target) {
      fmt::print(
          stderr, "{}",
          psi::render(diagnostics, file == "-" ? "<stdin>" : file, *text, colour_wanted(STDERR_FILENO)));
      return std::nullopt;
    }
    table.add(std::move(*target));
  }
  return table;
}

std::optional<Tables> load_tables(const std::vector<std::string>& files) {
  std::optional<psi::TargetTable> targets = load_machines(files);
  if (!targets) return std::nullopt;
  Tables tables{std::move(*targets), psi::PassTable::builtin()};
  tables.passes.set_targets(tables.targets);
  return tables;
}

}  // namespace psic
