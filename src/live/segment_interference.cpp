#include "live/segment_interference.h"

namespace psi::live {

SegmentInterference::SegmentInterference(const LiveRanges& ranges, RangeConditions& conditions, bool values)
    : ranges_(ranges), conditions_(conditions), values_(values), range_of_(ranges.all_segments().size()) {
  for (uint32_t i = 0; i < ranges.all().size(); ++i) {
    const LiveRange& range = ranges.all()[i];
    for (uint32_t p = 0; p < range.num_segments; ++p) range_of_[range.first_segment + p] = i;
  }
}

bool SegmentInterference::destroys(uint32_t segment, Reg writer) {
  const Definition& write = ranges_.definition(writer);
  const Segment& at = ranges_.all_segments()[segment];
  if (!write.writes) return false;
  const LiveRange& range = ranges_.all()[range_of_[segment]];
  const Definition& own = ranges_.definition(range.reg);
  bool at_once = own.writes && own.position == write.position;
  if (!at_once && !at.is_live_after(write.position)) return false;
  if (values_ && range.is_own_value && ranges_.value(range.reg) == ranges_.value(writer)) return false;
  // One instruction has two results whatever its guard.
  bool is_excluded = !at_once && ranges_.all_guards(write, [&](Guard guard) {
    return conditions_.excludes(range.condition, guard);
  });
  if (!is_excluded) return true;
  return conditions_.known(range.condition) == Known::Later && !ranges_.is_same_iteration(own, write);
}

}  // namespace psi::live
