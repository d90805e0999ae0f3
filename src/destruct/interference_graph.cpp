#include "destruct/interference_graph.h"

#include <numeric>
#include <utility>

#include "destruct/phis.h"

namespace psi::destruction {

InterferenceGraph::InterferenceGraph(Translation& t, std::vector<uint8_t> wanted)
    : webs_(t.webs), num_blocks_(t.function.num_blocks()) {
  Conditions conditions(t.function, t.analyses, t.options.predicates);
  LiveRanges ranges(t.function, t.analyses, t.copies, conditions, std::move(wanted));
  PlaceInterference places(ranges, conditions, /*values=*/false);
  number_registers(ranges);
  collect_live(t.function, ranges);
  connect_writes(places);
  connect_phis(t.function);
  memory_at_first_ = memory() + ranges.memory() + places.memory();
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

void InterferenceGraph::collect_live(const Function& function, const LiveRanges& ranges) {
  head_ = BitMatrix(num_blocks_, num_columns_);
  end_ = BitMatrix(num_blocks_, num_columns_);
  last_head_.resize(num_blocks_, kNone);
  last_end_.resize(num_blocks_, kNone);
  struct Ends {
    BlockId head;  // whose head or end the tile has
    BlockId end;
    uint32_t position = 0;
  };
  std::vector<Ends> tiles(ranges.num_tiles());
  for (BlockId b : function.layout()) {
    uint32_t position = ranges.end_position(b);
    tiles[ranges.tile_of(b, 0)].head = b;
    Ends& last = tiles[ranges.tile_of(b, position)];
    last.end = b;
    last.position = position;
  }
  for (const LiveRange& range : ranges.all()) {
    for (const Place& place : ranges.places(range)) {
      const Ends& tile = tiles[place.tile];
      if (tile.head && place.is_live_after(0)) head_.set(tile.head.index(), number(range.reg));
      if (tile.end && place.is_live_after(tile.position)) end_.set(tile.end.index(), number(range.reg));
    }
  }
}

// Each definition with all that is live in its tile.
void InterferenceGraph::connect_writes(PlaceInterference& places) {
  const LiveRanges& ranges = places.ranges();
  std::span<const Place> all = ranges.all_places();
  std::vector<uint32_t> start(ranges.num_tiles() + 1), sorted(all.size());
  for (const Place& place : all) ++start[place.tile + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<uint32_t> next(start.begin(), start.end() - 1);
  for (uint32_t p = 0; p < all.size(); ++p) sorted[next[all[p].tile]++] = p;
  auto is_write = [&](uint32_t p) {
    const Definition& definition = ranges.definition(places.reg(p));
    return definition.writes && definition.tile == all[p].tile;
  };
  for (uint32_t p = 0; p < all.size(); ++p) {
    if (!is_write(p)) continue;
    for (uint32_t i = start[all[p].tile]; i < start[all[p].tile + 1]; ++i) {
      uint32_t other = sorted[i];
      if (places.reg(other) == places.reg(p) || (other < p && is_write(other))) continue;
      if (places.interfere(p, other)) connect(number(places.reg(p)), number(places.reg(other)));
    }
  }
}

void InterferenceGraph::connect_phis(const Function& function) {
  for (BlockId b : function.layout()) {
    for_each_phi(function, b, [&](InstId phi) {
      uint32_t result = number(function.inst(phi).results[0]);
      bool is_live = head_.test(b.index(), result);
      head_.for_each_set(b.index(), [&](uint32_t other) {
        // Two phis that are live find each other twice.
        bool is_first = is_live && block_of_[other] == b && result < other;
        if (other != result && !is_first) connect(result, other);
      });
    });
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

}  // namespace psi::destruction
