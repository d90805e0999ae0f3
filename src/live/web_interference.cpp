#include "live/web_interference.h"

#include <utility>

namespace psi::live {

// The most pairs of segments that are compared without an index.
constexpr uint64_t kFewPairs = 256;

WebInterference::WebInterference(SegmentInterference& segments, Webs& webs)
    : segments_(segments),
      ranges_(segments.ranges()),
      webs_(webs),
      num_segments_(ranges_.num_regs()),
      index_(ranges_.num_regs(), kNone),
      table_(16) {
  for (const LiveRange& range : ranges_.all())
    num_segments_[webs.find(range.reg).index()] += range.num_segments;
}

template <class Visit>
bool WebInterference::any_segment(Reg web, Visit visit) const {
  bool found = false;
  webs_.for_each_member(web, [&](Reg member) {
    if (found) return;
    for (const LiveRange& range : ranges_.of(member)) {
      for (uint32_t p = range.first_segment; p < range.first_segment + range.num_segments && !found; ++p) {
        found = visit(p);
      }
    }
  });
  return found;
}

uint32_t WebInterference::index_of(Reg web) {
  uint32_t& index = index_[web.index()];
  if (index != kNone) return index;
  if (next_.empty()) next_.resize(ranges_.all_segments().size());
  index = num_indices_++;
  any_segment(web, [&](uint32_t p) { return insert(index, p), false; });
  return index;
}

uint32_t WebInterference::first_segment(Reg web, uint32_t chunk) {
  return find(key(index_of(web), chunk)).head;
}

WebInterference::Entry& WebInterference::find(uint64_t key) {
  size_t mask = table_.size() - 1;
  size_t at = (key * 0x9e3779b97f4a7c15u) >> 20 & mask;
  while (table_[at].key != key && table_[at].key != UINT64_MAX) at = (at + 1) & mask;
  return table_[at];
}

void WebInterference::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  num_entries_ = 0;
  for (const Entry& entry : old) {
    if (entry.head == kNone) continue;
    find(entry.key) = entry;
    ++num_entries_;
  }
}

void WebInterference::insert(uint32_t index, uint32_t segment) {
  uint64_t wanted = key(index, ranges_.all_segments()[segment].chunk());
  Entry* entry = &find(wanted);
  if (entry->head == kNone) {
    if ((num_entries_ + 1) * 4 > table_.size() * 3) {
      grow();
      entry = &find(wanted);
    }
    ++num_entries_;
    entry->key = wanted;
  }
  next_[segment] = entry->head;
  entry->head = segment;
}

bool WebInterference::interfere(Reg a, Reg b) {
  Reg large = webs_.find(a), small = webs_.find(b);
  if (num_segments_[large.index()] < num_segments_[small.index()]) std::swap(large, small);
  uint64_t num_pairs = uint64_t{num_segments_[large.index()]} * num_segments_[small.index()];
  if (index_[large.index()] == kNone && num_pairs <= kFewPairs) {
    few_.clear();
    any_segment(small, [&](uint32_t p) { return few_.push_back(p), false; });
    return any_segment(large, [&](uint32_t p) {
      for (uint32_t q : few_) {
        bool same_chunk = ranges_.all_segments()[p].chunk() == ranges_.all_segments()[q].chunk();
        if (same_chunk && segments_.interfere(p, q)) return true;
      }
      return false;
    });
  }
  return any_segment(small, [&](uint32_t p) {
    uint32_t other = first_segment(large, ranges_.all_segments()[p].chunk());
    for (; other != kNone; other = next_[other]) {
      if (segments_.interfere(p, other)) return true;
    }
    return false;
  });
}

void WebInterference::unite(Reg a, Reg b) {
  Reg large = webs_.find(a), small = webs_.find(b);
  if (large == small) return;
  if (num_segments_[large.index()] < num_segments_[small.index()]) std::swap(large, small);
  uint32_t index = index_[large.index()];
  if (index != kNone) any_segment(small, [&](uint32_t p) { return insert(index, p), false; });
  uint32_t num_segments = num_segments_[large.index()] + num_segments_[small.index()];
  Reg web = webs_.unite(large, small);
  index_[web.index()] = index;
  num_segments_[web.index()] = num_segments;
}

bool WebInterference::is_written(Reg web, const Segment& segment, uint64_t value) {
  for (uint32_t p = first_segment(web, segment.chunk()); p != kNone; p = next_[p]) {
    const Definition& write = ranges_.definition(segments_.reg(p));
    if (!write.writes || !segment.is_live_after(write.position)) continue;
    if (ranges_.value(segments_.reg(p)) != value) return true;
  }
  return false;
}

bool WebInterference::is_read_after(Reg web, uint32_t position, uint64_t value) {
  for (uint32_t p = first_segment(web, chunk_of(position)); p != kNone; p = next_[p]) {
    if (!ranges_.all_segments()[p].is_live_after(position)) continue;
    if (!segments_.range(p).is_own_value || ranges_.value(segments_.reg(p)) != value) return true;
  }
  for (const Added& added : added_) {
    if (added.web == web && added.segment.is_live_after(position) && added.value != value) {
      return true;
    }
  }
  return false;
}

size_t WebInterference::memory() const {
  return (next_.capacity() + num_segments_.capacity() + index_.capacity()) * sizeof(uint32_t) +
         table_.capacity() * sizeof(Entry);
}

}  // namespace psi::live
