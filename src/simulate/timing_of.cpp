#include "psi/simulate/timing.h"
#include "psi/target/description.h"

namespace psi {

MachineTiming timing_of(const TargetDescription& description) {
  MachineTiming timing;
  timing.name = description.name;
  timing.slots = description.slots;
  timing.width = description.width;
  for (const Resource& resource : description.resources) timing.resources.push_back(resource.count);
  for (const SchedulingClass& each : description.scheduling_classes) {
    timing.classes.push_back({each.name, each.alternatives, each.latency, each.busy, each.also});
  }
  for (const LatencyRule& rule : description.latencies) {
    timing.latencies.push_back(
        {rule.from, rule.to, static_cast<MachineTiming::Role>(rule.role), rule.operand, rule.cycles});
  }
  static_assert(static_cast<int>(MachineTiming::Role::Guard) == static_cast<int>(ReadRole::Guard));
  static_assert(MachineTiming::kAny == kNone);
  for (const ForwardRule& rule : description.packet.forwards) {
    timing.forwards.push_back({rule.guard, rule.operand, rule.from, rule.to});
  }
  for (const WritersRule& rule : description.packet.writers) {
    timing.writers.push_back({rule.conjunction, rule.classes});
  }
  // A machine that executes out of order waits for operands in order here.
  timing.interlocked = description.interlocked || description.out_of_order;
  timing.taken_cost = description.taken_cost;
  return timing;
}

}  // namespace psi
