#include "psi/simulate/timing.h"

#include <algorithm>

namespace psi {

uint32_t MachineTiming::latency(uint32_t from, uint32_t to, Role role, std::string_view operand) const {
  if (from >= classes.size()) return 1;
  uint32_t cycles = classes[from].latency;
  int best = 0;
  for (const Latency& rule : latencies) {
    if (rule.from != from) continue;
    if (rule.to != kAny && rule.to != to) continue;
    if (rule.role != Role::Any && rule.role != role) continue;
    if (!rule.operand.empty() && rule.operand != operand) continue;
    int specific = !rule.operand.empty() ? 3 : rule.role != Role::Any ? 2 : 1;
    if (specific < best) continue;
    best = specific;
    cycles = rule.cycles;
  }
  return std::max(cycles, 1u);
}

}  // namespace psi
