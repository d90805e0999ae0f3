// Which webs may become one register: those of which no two registers interfere.
//
// There is no graph. Only segments in the same chunk are compared, those of the smaller web with those of the
// larger. If these are more than a few, the larger web is indexed: a list of its segments for each chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "live/segment_interference.h"
#include "psi/live/webs.h"

namespace psi::live {

class WebInterference {
 public:
  WebInterference(SegmentInterference& segments, Webs& webs);

  bool interfere(Reg a, Reg b);
  void unite(Reg a, Reg b);
  size_t memory() const;
  SegmentInterference& segments() { return segments_; }

  // For one more value in the register of a web: is another written within a segment?
  bool is_written(Reg web, const Segment& segment, uint64_t value);
  // Is another still to be read after a position?
  bool is_read_after(Reg web, uint32_t position, uint64_t value);
  // The register has the value in this segment, too.
  void add_segment(Reg web, const Segment& segment, uint64_t value) {
    added_.push_back({web, segment, value});
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    uint64_t key = UINT64_MAX;
    uint32_t head = kNone;
  };

  static uint64_t key(uint32_t index, uint32_t chunk) { return uint64_t{index} << 32 | chunk; }
  // Calls visit(segment) for each segment of a web until it returns true; does it ever?
  template <class Visit>
  bool any_segment(Reg web, Visit visit) const;
  // The first segment of the web in the chunk; next_ has the others.
  uint32_t first_segment(Reg web, uint32_t chunk);
  uint32_t index_of(Reg web);
  Entry& find(uint64_t key);
  void insert(uint32_t index, uint32_t segment);
  void grow();

  SegmentInterference& segments_;
  const LiveRanges& ranges_;
  Webs& webs_;
  std::vector<uint32_t> next_;          // by segment: the next of its web in its chunk
  std::vector<uint32_t> num_segments_;  // by representative
  std::vector<uint32_t> index_;         // by representative: the number of its index
  uint32_t num_indices_ = 0;
  std::vector<Entry> table_;  // of all indices; open addressing
  uint32_t num_entries_ = 0;
  std::vector<uint32_t> few_;
  struct Added {
    Reg web;
    Segment segment;
    uint64_t value;
  };
  std::vector<Added> added_;
};

}  // namespace psi::live
