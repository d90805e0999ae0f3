#include "psi/judge/judge_target.h"

#include <algorithm>

#include "judge/judge.h"

namespace psi {

Diagnostics judge_target(const TargetDescription& description) {
  target::Problems problems;
  judge::judge_literals(description, problems);
  judge::judge_overlap(description, problems);
  judge::judge_coverage(description, problems);
  judge::judge_sequences(description, problems);
  judge::judge_packets(description, problems);
  judge::judge_frame(description, problems);
  Diagnostics diagnostics;
  problems.report(diagnostics);
  return diagnostics;
}

namespace judge {

bool is_selectable(const MachineForm& form) {
  return !form.by_name && !form.is_opaque && !form.is_boundary && form.entry != kNone;
}

unsigned width(const TargetDescription& description, Type type) {
  return type == Type::ptr ? description.pointer_bits : bit_width(type);
}

bool contains(const TargetDescription& description, uint32_t outer, uint32_t inner) {
  if (outer == inner) return true;
  const std::vector<uint32_t>& members = description.classes[outer].registers;
  return std::ranges::all_of(description.classes[inner].registers,
                             [&](uint32_t r) { return std::ranges::find(members, r) != members.end(); });
}

}  // namespace judge
}  // namespace psi
