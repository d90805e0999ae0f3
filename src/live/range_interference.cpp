// Each definition with the segments of its chunk.
#include <algorithm>
#include <numeric>

#include "live/interfering_pairs.h"
#include "live/segment_interference.h"

namespace psi::live {
namespace {

// The segments by chunk.
class Chunks {
 public:
  explicit Chunks(const LiveRanges& ranges)
      : start_(ranges.num_chunks() + 1), segments_(ranges.all_segments().size()) {
    std::span<const Segment> all = ranges.all_segments();
    for (const Segment& segment : all) ++start_[segment.chunk() + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
    for (uint32_t i = 0; i < all.size(); ++i) segments_[next[all[i].chunk()]++] = i;
  }

  std::span<const uint32_t> operator[](uint32_t chunk) const {
    return std::span(segments_).subspan(start_[chunk], start_[chunk + 1] - start_[chunk]);
  }

 private:
  std::vector<uint32_t> start_;  // by chunk, and one more
  std::vector<uint32_t> segments_;
};

}  // namespace

InterferingPairs pairs_by_ranges(const Function& function, Analyses& analyses, bool predicates) {
  RangeConditions conditions(function, analyses, predicates);
  LiveRanges ranges(function, analyses, {}, conditions, std::vector<uint8_t>(function.num_regs(), 1),
                    LiveRanges::Split::AtChunks, LiveRanges::Merges::Write);
  SegmentInterference interference(ranges, conditions, /*values=*/false);
  Chunks chunks(ranges);
  InterferingPairs higher(function.num_regs());
  for (uint32_t i = 0; i < function.num_regs(); ++i) {
    const Definition& write = ranges.definition(Reg(i));
    if (!write.block) continue;
    // Phis and parameters are written together, which matters only to those that are live.
    bool is_head = write.position == ranges.head_position(write.block);
    for (uint32_t p : chunks[chunk_of(write.position)]) {
      Reg other = interference.reg(p);
      if (other.index() == i || (is_head && !ranges.all_segments()[p].is_live_after(write.position)))
        continue;
      if (interference.destroys(p, Reg(i)))
        higher[std::min(i, other.index())].push_back(Reg(std::max(i, other.index())));
    }
  }
  // Both may destroy the other, and a register may have several live ranges.
  for (std::vector<Reg>& list : higher) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return higher;
}

}  // namespace psi::live
