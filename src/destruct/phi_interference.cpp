#include "destruct/phi_interference.h"

#include <utility>

namespace psi::destruct {

using namespace live;

InterferenceGraph phi_interference(Translation& t, std::vector<uint8_t> wanted) {
  RangeConditions conditions(t.function, t.analyses, t.options.predicates);
  LiveRanges ranges(t.function, t.analyses, t.copies.parallel(), conditions, std::move(wanted));
  SegmentInterference segments(ranges, conditions, /*values=*/false);
  return InterferenceGraph(t.function, segments, t.webs);
}

}  // namespace psi::destruct
