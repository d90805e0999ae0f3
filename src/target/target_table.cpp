#include <fmt/format.h>

#include <algorithm>

#include "psi/target/target.h"
#include "target/machine_texts.h"

namespace psi {
namespace {

// The tests see to it that all of them can be read, and that no two have the same name.
TargetTable read_machines() {
  TargetTable table;
  for (const target::MachineText& machine : target::machine_texts()) {
    if (Result<Target> target = parse_target(machine.text)) (void)table.add(std::move(*target));
  }
  return table;
}

}  // namespace

const TargetTable& TargetTable::builtin() {
  static const TargetTable kTable = read_machines();
  return kTable;
}

Result<void> TargetTable::add(Target target) {
  if (find(target.name)) return failure(fmt::format("there is a machine '{}' already", target.name));
  targets_.push_back(std::move(target));
  return {};
}

const Target* TargetTable::find(std::string_view name) const {
  auto found = std::ranges::find(targets_, name, &Target::name);
  return found == targets_.end() ? nullptr : &*found;
}

std::span<const Target> targets() { return TargetTable::builtin().all(); }

const Target* find_target(std::string_view name) { return TargetTable::builtin().find(name); }

}  // namespace psi
