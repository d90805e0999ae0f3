#include "live/interference_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "psi/analysis/cfg.h"

namespace psi::live {

InterferenceGraph::InterferenceGraph(const Function& function, SegmentInterference& segments, Webs& webs)
    : webs_(webs), num_blocks_(function.num_blocks()) {
  const LiveRanges& ranges = segments.ranges();
  number_registers(ranges);
  collect_live(ranges);
  connect_writes(segments);
  connect_phis(function);
  memory_at_first_ += memory() + ranges.memory() + segments.memory();
  memory_at_first_ = std::max(memory_at_first_, ranges.peak_memory());
}

void InterferenceGraph::number_registers(const LiveRanges& ranges) {
  numbers_.resize(ranges.num_regs(), kNone);
  for (const LiveRange& range : ranges.all()) {
    if (numbers_[range.reg.index()] != kNone) continue;
    numbers_[range.reg.index()] = static_cast<uint32_t>(regs_.size());
    regs_.push_back(range.reg);
    block_of_.push_back(ranges.definition(range.reg).block);
  }
  num_columns_ = static_cast<uint32_t>(regs_.size());
  first_edge_.resize(num_columns_, kNone);
  degree_.resize(num_columns_);
}

void InterferenceGraph::collect_live(const LiveRanges& ranges) {
  head_ = BitMatrix(num_blocks_, num_columns_);
  end_ = BitMatrix(num_blocks_, num_columns_);
  last_head_.resize(num_blocks_, kNone);
  last_end_.resize(num_blocks_, kNone);
  std::vector<uint32_t> heads, ends;  // positions, by block in their order
  for (BlockId b : ranges.blocks()) {
    heads.push_back(ranges.head_position(b));
    ends.push_back(ranges.end_position(b));
  }
  for (const LiveRange& range : ranges.all()) {
    for (const Segment& segment : ranges.segments(range)) {
      size_t i = std::upper_bound(heads.begin(), heads.end(), segment.start) - heads.begin() - 1;
      for (; i < heads.size() && heads[i] < segment.end; ++i) {
        uint32_t b = ranges.blocks()[i].index();
        if (segment.is_live_after(heads[i])) head_.set(b, number(range.reg));
        if (segment.is_live_after(ends[i])) end_.set(b, number(range.reg));
      }
    }
  }
}

// Each definition with all registers live in its chunk.
void InterferenceGraph::connect_writes(SegmentInterference& segments) {
  const LiveRanges& ranges = segments.ranges();
  std::span<const Segment> all = ranges.all_segments();
  std::vector<uint32_t> start(ranges.num_chunks() + 1), sorted(all.size());
  for (const Segment& segment : all) ++start[segment.chunk() + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<uint32_t> next(start.begin(), start.end() - 1);
  for (uint32_t p = 0; p < all.size(); ++p) sorted[next[all[p].chunk()]++] = p;
  for (uint32_t n = 0; n < num_columns_; ++n) {
    const Definition& write = ranges.definition(regs_[n]);
    uint32_t chunk = chunk_of(write.position);
    for (uint32_t i = start[chunk]; i < start[chunk + 1]; ++i) {
      Reg other = segments.reg(sorted[i]);
      const Definition& own = ranges.definition(other);
      // Two that are written together find each other twice.
      bool is_first = own.writes && own.position == write.position && number(other) < n;
      if (other != regs_[n] && !is_first && segments.destroys(sorted[i], regs_[n])) connect(n, number(other));
    }
  }
  memory_at_first_ = (start.capacity() + sorted.capacity() + next.capacity()) * sizeof(uint32_t);
}

void InterferenceGraph::connect_phis(const Function& function) {
  for (BlockId b : function.layout()) {
    for (InstId phi : function.insts(b)) {
      if (!function.inst(phi).is_phi()) break;
      uint32_t result = number(function.inst(phi).results[0]);
      bool is_live = head_.test(b.index(), result);
      head_.for_each_set(b.index(), [&](uint32_t other) {
        // Two phis that are live find each other twice.
        bool is_first = is_live && block_of_[other] == b && result < other;
        if (other != result && !is_first) connect(result, other);
      });
    }
  }
}

// Conditions may give a register several ranges, with the same edge for each.
void InterferenceGraph::connect(uint32_t a, uint32_t b) {
  if (first_edge_[a] != kNone && edges_[first_edge_[a]].to == b) return;
  for (auto [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    edges_.push_back({to, first_edge_[from]});
    first_edge_[from] = static_cast<uint32_t>(edges_.size()) - 1;
    ++degree_[number(webs_.find(regs_[from]))];
  }
}

bool InterferenceGraph::is_live(const BitMatrix& live, Where where, BlockId b, Reg r) const {
  uint32_t n = number(r);
  if (n < num_columns_) return live.test(b.index(), n);
  const Local& local = locals_[n - num_columns_];
  return local.block == b && local.where == where;
}

void InterferenceGraph::add(const BitMatrix& live, Where where, BlockId b, Reg r) {
  auto n = static_cast<uint32_t>(regs_.size());
  if (r.index() >= numbers_.size()) numbers_.resize(r.index() + 1, kNone);
  numbers_[r.index()] = n;
  regs_.push_back(r);
  block_of_.push_back(b);
  first_edge_.push_back(kNone);
  degree_.push_back(0);
  live.for_each_set(b.index(), [&](uint32_t other) { connect(n, other); });
  uint32_t& last = (where == Where::Head ? last_head_ : last_end_)[b.index()];
  for (uint32_t local = last; local != kNone; local = locals_[local].previous) {
    connect(n, num_columns_ + local);
  }
  locals_.push_back({b, where, last});
  last = static_cast<uint32_t>(locals_.size()) - 1;
}

void InterferenceGraph::unite(Reg a, Reg b) {
  if (webs_.same(a, b)) return;
  uint32_t sum = degree(a) + degree(b);
  degree_[number(webs_.unite(a, b))] = sum;
}

size_t InterferenceGraph::memory() const {
  size_t sets = 2 * size_t{num_blocks_} * ((num_columns_ + 63) / 64) * sizeof(uint64_t);
  size_t tables = numbers_.capacity() + regs_.capacity() + block_of_.capacity() + first_edge_.capacity() +
                  degree_.capacity() + last_head_.capacity() + last_end_.capacity();
  return sets + tables * sizeof(uint32_t) + edges_.capacity() * sizeof(Edge) +
         locals_.capacity() * sizeof(Local);
}

}  // namespace psi::live
