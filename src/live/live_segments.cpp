// Walks from the reads of values back to their definitions.
#include <algorithm>
#include <utility>

#include "live/live_ranges.h"

namespace psi::live {

void LiveRanges::find_ranges() {
  start_.resize(function_.num_regs() + 1);
  last_read_.resize(heads_.size());
  auto num_wanted = static_cast<size_t>(std::count(wanted_.begin(), wanted_.end(), 1));
  ranges_.reserve(num_wanted);
  segments_.reserve(num_wanted);
  auto key = [](const Read& read) { return std::pair(read.condition, read.is_own_value); };
  for (uint32_t r = 0; r < function_.num_regs(); ++r) {
    start_[r] = static_cast<uint32_t>(ranges_.size());
    if (!wanted_[r] || !definitions_[r].block) continue;
    std::span<Read> reads = std::span(reads_).subspan(first_read_[r], first_read_[r + 1] - first_read_[r]);
    if (conditions_.any_guards()) {
      std::sort(reads.begin(), reads.end(), [&](const Read& a, const Read& b) { return key(a) < key(b); });
    }
    size_t i = 0;
    do {
      size_t end = i;
      while (end < reads.size() && key(reads[end]) == key(reads[i])) ++end;
      LiveRange range{.reg = Reg(r), .first_segment = static_cast<uint32_t>(segments_.size())};
      if (!reads.empty()) {
        range.condition = reads[i].condition;
        range.is_own_value = reads[i].is_own_value;
      }
      explore(definitions_[r], reads.subspan(i, end - i), segments_);
      range.num_segments = static_cast<uint32_t>(segments_.size()) - range.first_segment;
      ranges_.push_back(range);
      i = end;
    } while (i < reads.size());
  }
  start_.back() = static_cast<uint32_t>(ranges_.size());
  peak_memory_ = memory();
  reads_ = std::vector<Read>();
  first_read_ = std::vector<uint32_t>();
  ranges_.shrink_to_fit();
  segments_.shrink_to_fit();
}

// Walks back from the reads to the definition.
bool LiveRanges::explore(const Definition& definition, std::span<const Read> reads,
                         std::vector<Segment>& segments, size_t max_blocks) const {
  uint32_t first = order_.number(definition.block);
  last_read_[first] = definition.position + 1;
  seen_.assign(1, first);
  auto enter = [&](uint32_t block, uint32_t position) {
    if (last_read_[block] == 0) seen_.push_back(block);
    last_read_[block] = std::max(last_read_[block], position + 1);
  };
  for (const Read& read : reads) enter(order_.number(read.block), read.position);
  for (size_t i = 1; i < seen_.size() && seen_.size() <= max_blocks; ++i) {
    for (BlockId p : cfg_.predecessors(blocks()[seen_[i]])) {
      uint32_t block = order_.number(p);
      if (block == Order::kUnreachable) continue;
      enter(block, heads_[block + 1]);
    }
  }
  bool is_complete = seen_.size() <= max_blocks;
  if (is_complete) {
    sort_seen();
    uint32_t start = definition.position, end = last_read_[first] - 1;
    for (uint32_t block : std::span(seen_).subspan(1)) {
      if (heads_[block] != end) {
        add_segments(start, end, segments);
        start = heads_[block];
      }
      end = last_read_[block] - 1;
    }
    add_segments(start, end, segments);
  }
  for (uint32_t block : seen_) last_read_[block] = 0;
  return is_complete;
}

// The definition's block is the first in any case.
void LiveRanges::sort_seen() const {
  constexpr size_t kDense = 8;
  uint32_t first = seen_[0], last = *std::max_element(seen_.begin(), seen_.end());
  if (last - first >= kDense * seen_.size()) {
    std::sort(seen_.begin(), seen_.end());
    return;
  }
  seen_.clear();
  for (uint32_t block = first; block <= last; ++block) {
    if (last_read_[block] != 0) seen_.push_back(block);
  }
}

void LiveRanges::add_segments(uint32_t start, uint32_t end, std::vector<Segment>& segments) const {
  while (split_ == Split::AtChunks) {
    uint32_t next = (chunk_of(start) + 1) * kChunkSize;
    if (end <= next) break;
    segments.push_back({start, next});
    start = next;
  }
  segments.push_back({start, end});
}

bool LiveRanges::find_segments(BlockId from, uint32_t position, BlockId to, uint32_t read_position,
                               size_t max_blocks, std::vector<Segment>& segments) const {
  segments.clear();
  Read read{RangeConditions::kAlways, true, to, read_position};
  return explore({from, position, Guard(), true, InstId()}, {&read, 1}, segments, max_blocks);
}

}  // namespace psi::live
