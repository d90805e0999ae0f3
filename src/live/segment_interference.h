// Does writing one register destroy another?
#pragma once

#include <cstdint>
#include <vector>

#include "live/live_ranges.h"
#include "live/range_conditions.h"

namespace psi::live {

// Two registers interfere if one is written where the other still holds a value to be read, unless the values
// are equal, or the write is executed only where the other is not read. Only segments in the same chunk have
// to be compared.
class SegmentInterference {
 public:
  SegmentInterference(const LiveRanges& ranges, RangeConditions& conditions, bool values);

  const LiveRanges& ranges() const { return ranges_; }
  const LiveRange& range(uint32_t segment) const { return ranges_.all()[range_of_[segment]]; }
  Reg reg(uint32_t segment) const { return range(segment).reg; }
  // Two segments of different registers, in the same chunk.
  bool interfere(uint32_t a, uint32_t b) { return destroys(a, reg(b)) || destroys(b, reg(a)); }
  // Does writing `writer` destroy the value of a segment? Also if both are written together.
  bool destroys(uint32_t segment, Reg writer);
  size_t memory() const { return range_of_.capacity() * sizeof(uint32_t); }

 private:
  const LiveRanges& ranges_;
  RangeConditions& conditions_;
  bool values_;
  std::vector<uint32_t> range_of_;  // by segment
};

}  // namespace psi::live
