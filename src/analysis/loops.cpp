// Loops by a depth-first search, as LLVM's GenericCycleInfo finds cycles: a simple form of Havlak, "Nesting
// of Reducible and Irreducible Loops" (1997).
//
// A block heads a loop if one of its predecessors is below it in the tree of the search. Headers are
// processed from the last in preorder to the first, so inner loops are known before outer ones. The body is
// found by walking backwards from such predecessors: a block in no loop yet joins; a known loop joins as a
// whole, and the walk continues from its entries only. A predecessor that is not below the header is outside,
// and its successor is an entry.
//
// The outermost loop known so far around a block is kept in a union-find structure. Near-linear, except that
// the predecessors of an entry are visited once for each loop that it enters, which may be many in nested
// irreducible loops.

#include "psi/analysis/loops.h"

#include <algorithm>
#include <utility>

#include "analysis/flow_graph.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "support/scratch.h"

namespace psi {

constexpr uint32_t kNone = UINT32_MAX;

// The loops as they are found: inner ones come before outer ones.
struct Loops::Nest {
  struct Found {
    BlockId header;
    uint32_t parent = kNone;
    uint32_t first_entry = 0;  // in entries; they end where those of the next loop begin
  };
  std::vector<Found> loops;
  std::vector<uint32_t> innermost;  // by BlockId
  std::vector<BlockId> entries;
  std::vector<LoopId> number;  // by place in `loops`: the final one

  bool is_header(BlockId b) const {
    uint32_t loop = innermost[b.index()];
    return loop != kNone && loops[loop].header == b;
  }
  uint32_t end_of_entries(size_t loop) const {
    return loop + 1 < loops.size() ? loops[loop + 1].first_entry : static_cast<uint32_t>(entries.size());
  }
};

class Loops::Finder {
 public:
  explicit Finder(const Cfg& cfg)
      : cfg_(cfg), search_(analysis::search_depth_first(analysis::ForwardGraph(cfg), scratch_)) {}

  Nest run() {
    nest_.innermost.assign(cfg_.num_blocks(), kNone);
    uint32_t n = static_cast<uint32_t>(search_.nodes.size());
    below_.assign(n, 1);
    for (uint32_t v = n; v-- > 1;) below_[search_.parents[v]] += below_[v];
    for (uint32_t header = n; header-- > 0;) {
      for (BlockId p : cfg_.predecessors(search_.nodes[header])) {
        if (is_below(p, header)) work_.push_back(p);
      }
      if (!work_.empty()) collect(header);
    }
    return std::move(nest_);
  }

 private:
  // Not for unreachable blocks.
  bool is_below(BlockId b, uint32_t header) const {
    uint32_t number = search_.numbers[b.index()];
    return number != analysis::kUnseen && number - header < below_[header];
  }

  void collect(uint32_t header) {
    uint32_t loop = static_cast<uint32_t>(nest_.loops.size());
    BlockId head = search_.nodes[header];
    nest_.loops.push_back({head, kNone, static_cast<uint32_t>(nest_.entries.size())});
    nest_.entries.push_back(head);
    nest_.innermost[head.index()] = loop;
    outer_.push_back(loop);
    while (!work_.empty()) {
      BlockId b = work_.back();
      work_.pop_back();
      if (nest_.innermost[b.index()] == kNone) {
        nest_.innermost[b.index()] = loop;
        visit_predecessors(b, header);
        continue;
      }
      uint32_t known = outermost(nest_.innermost[b.index()]);
      if (known == loop) continue;
      nest_.loops[known].parent = loop;
      outer_[known] = loop;
      uint32_t end = nest_.end_of_entries(known);
      for (uint32_t i = nest_.loops[known].first_entry; i < end; ++i) {
        visit_predecessors(nest_.entries[i], header);
      }
    }
  }

  // Of a block that joins the newest loop.
  void visit_predecessors(BlockId b, uint32_t header) {
    bool is_entry = false;
    for (BlockId p : cfg_.predecessors(b)) {
      if (is_below(p, header)) {
        work_.push_back(p);
      } else if (search_.numbers[p.index()] != analysis::kUnseen) {
        is_entry = true;
      }
    }
    if (is_entry) nest_.entries.push_back(b);
  }

  uint32_t outermost(uint32_t loop) {
    while (outer_[loop] != loop) loop = outer_[loop] = outer_[outer_[loop]];
    return loop;
  }

  const Cfg& cfg_;
  Scratch scratch_;
  analysis::DepthFirst search_;
  std::vector<uint32_t> below_;  // by preorder number: the size of its subtree
  std::vector<BlockId> work_;
  std::vector<uint32_t> outer_;  // by loop: one further out, or itself
  Nest nest_;
};

Loops::Loops(const Cfg& cfg, const Order& order) : innermost_(cfg.num_blocks()), position_(cfg.num_blocks()) {
  if (!cfg.entry()) return;
  Nest nest = Finder(cfg).run();
  number_loops(nest, order);
  list_children();
  list_blocks(nest, order);
  list_entries(nest, order);
}

// In preorder: each loop's number is the next free one of its parent's range.
void Loops::number_loops(Nest& nest, const Order& order) {
  uint32_t n = static_cast<uint32_t>(nest.loops.size());
  std::vector<uint32_t> size(n, 1);
  for (uint32_t i = 0; i < n; ++i) {
    if (nest.loops[i].parent != kNone) size[nest.loops[i].parent] += size[i];
  }
  loops_.resize(n);
  nest.number.resize(n);
  std::vector<uint32_t> next(n + 1);  // by place in the nest; the last is that of the outermost loops
  for (BlockId b : order.reverse_post_order()) {
    if (!nest.is_header(b)) continue;
    uint32_t i = nest.innermost[b.index()];
    uint32_t up = nest.loops[i].parent;
    uint32_t& free = next[up == kNone ? n : up];
    nest.number[i] = LoopId(free);
    next[i] = free + 1;
    Loop& loop = loops_[free];
    free += size[i];
    loop.subtree_size = size[i];
    loop.depth = 1;
    if (up == kNone) continue;
    loop.parent = nest.number[up];
    loop.depth = at(loop.parent).depth + 1;
  }
}

void Loops::list_children() {
  uint32_t n = num_loops();
  for (const Loop& loop : loops_) ++(loop.parent ? loops_[loop.parent.index()].num_children : num_outermost_);
  std::vector<uint32_t> next(n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    loops_[i].first_child = next[i];
    next[i + 1] = next[i] + loops_[i].num_children;
  }
  children_.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    LoopId up = loops_[i].parent;
    children_[next[up ? up.index() : n]++] = LoopId(i);
  }
}

// A loop's own blocks come first in its range, then the ranges of its children.
void Loops::list_blocks(const Nest& nest, const Order& order) {
  uint32_t n = num_loops();
  std::vector<uint32_t> own(n);
  for (BlockId b : order.reverse_post_order()) {
    uint32_t i = nest.innermost[b.index()];
    if (i == kNone) continue;
    innermost_[b.index()] = nest.number[i];
    ++own[nest.number[i].index()];
  }
  for (uint32_t i = n; i-- > 0;) {
    loops_[i].num_blocks += own[i];
    if (LoopId up = loops_[i].parent) loops_[up.index()].num_blocks += loops_[i].num_blocks;
  }
  std::vector<uint32_t> next(n + 1);  // where the next child's range begins; the last: an outermost loop's
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t& free = next[loops_[i].parent ? loops_[i].parent.index() : n];
    loops_[i].first_block = free;
    free += loops_[i].num_blocks;
    next[i] = loops_[i].first_block + own[i];
  }
  blocks_.resize(next[n]);
  for (uint32_t i = 0; i < n; ++i) next[i] = loops_[i].first_block;
  for (BlockId b : order.reverse_post_order()) {
    if (!of(b)) continue;
    position_[b.index()] = next[of(b).index()]++;
    blocks_[position_[b.index()]] = b;
  }
}

// The header comes first in reverse post-order, as the search met it first and all of the loop below it.
void Loops::list_entries(Nest& nest, const Order& order) {
  for (uint32_t i = 0; i < num_loops(); ++i) {
    Loop& loop = loops_[nest.number[i].index()];
    loop.first_entry = nest.loops[i].first_entry;
    loop.num_entries = nest.end_of_entries(i) - loop.first_entry;
    std::span<BlockId> entries = std::span(nest.entries).subspan(loop.first_entry, loop.num_entries);
    std::sort(entries.begin(), entries.end(),
              [&](BlockId a, BlockId b) { return order.number(a) < order.number(b); });
  }
  entries_ = std::move(nest.entries);
}

}  // namespace psi
