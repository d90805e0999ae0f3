#include <algorithm>

#include "psi/target.h"
#include "target/machine_texts.h"

namespace psi {
namespace {

// The tests see to it that all of them can be read.
TargetTable read_machines() {
  TargetTable table;
  Diagnostics diagnostics;
  for (const target::MachineText& machine : target::machine_texts()) {
    if (std::optional<Target> target = parse_target(machine.text, diagnostics)) table.add(std::move(*target));
  }
  return table;
}

}  // namespace

const TargetTable& TargetTable::builtin() {
  static const TargetTable kTable = read_machines();
  return kTable;
}

bool TargetTable::add(Target target) {
  if (find(target.name)) return false;
  targets_.push_back(std::move(target));
  return true;
}

const Target* TargetTable::find(std::string_view name) const {
  auto found = std::ranges::find(targets_, name, &Target::name);
  return found == targets_.end() ? nullptr : &*found;
}

std::span<const Target> targets() { return TargetTable::builtin().all(); }

const Target* find_target(std::string_view name) { return TargetTable::builtin().find(name); }

}  // namespace psi
