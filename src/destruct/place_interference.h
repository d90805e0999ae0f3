// Does writing one register destroy another?
#pragma once

#include <cstdint>
#include <vector>

#include "destruct/conditions.h"
#include "destruct/live_ranges.h"

namespace psi::destruction {

// Two registers interfere if one is written where the other still holds a value that is to be read, unless
// what is written is the same value, or it is written only where the other is not read. To find out it is
// enough to compare the places that they have in the same tile.
class PlaceInterference {
 public:
  PlaceInterference(const LiveRanges& ranges, Conditions& conditions, bool values);

  const LiveRanges& ranges() const { return ranges_; }
  const LiveRange& range(uint32_t place) const { return ranges_.all()[range_of_[place]]; }
  Reg reg(uint32_t place) const { return range(place).reg; }
  // Two places of different registers, in the same tile.
  bool interfere(uint32_t a, uint32_t b) { return destroys(a, reg(b)) || destroys(b, reg(a)); }
  // Is the value at a place lost where `writer` is written? Also if both are written at once.
  bool destroys(uint32_t place, Reg writer);
  size_t memory() const { return range_of_.capacity() * sizeof(uint32_t); }

 private:
  const LiveRanges& ranges_;
  Conditions& conditions_;
  bool values_;
  std::vector<uint32_t> range_of_;  // by place
};

}  // namespace psi::destruction
