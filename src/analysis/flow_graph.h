// The graphs that dominator algorithms run on: the control flow graph, and the same reversed, with a virtual
// exit; and a depth-first search of either. Nodes are written as BlockIds.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi::analysis {

class ForwardGraph {
 public:
  explicit ForwardGraph(const Cfg& cfg) : cfg_(cfg) {}

  uint32_t num_nodes() const { return cfg_.num_blocks(); }
  BlockId root() const { return cfg_.entry(); }
  static constexpr bool takes_part(BlockId) { return true; }
  std::span<const BlockId> successors(BlockId b) const { return cfg_.successors(b); }
  template <class Visit>
  void for_each_predecessor(BlockId b, Visit visit) const {
    for (BlockId p : cfg_.predecessors(b)) visit(p);
  }

 private:
  const Cfg& cfg_;
};

// Only reachable blocks take part; the root is one above the last block.
class ReversedGraph {
 public:
  // `exits` are the blocks with an edge to the virtual exit, each once.
  ReversedGraph(const Cfg& cfg, const Order& order, std::span<const BlockId> exits)
      : cfg_(cfg), order_(order), exits_(exits), is_exit_(cfg.num_blocks()) {
    for (BlockId b : exits) is_exit_[b.index()] = 1;
  }

  uint32_t num_nodes() const { return cfg_.num_blocks() + 1; }
  BlockId root() const { return BlockId(cfg_.num_blocks()); }
  bool takes_part(BlockId b) const { return order_.is_reachable(b); }
  std::span<const BlockId> successors(BlockId b) const { return b == root() ? exits_ : cfg_.predecessors(b); }
  // Not of the root, which has none.
  template <class Visit>
  void for_each_predecessor(BlockId b, Visit visit) const {
    for (BlockId p : cfg_.successors(b)) visit(p);
    if (is_exit_[b.index()]) visit(root());
  }

 private:
  const Cfg& cfg_;
  const Order& order_;
  std::span<const BlockId> exits_;
  std::vector<uint8_t> is_exit_;  // by BlockId
};

inline constexpr uint32_t kUnseen = UINT32_MAX;

// The nodes reachable from the root, numbered in preorder of a depth-first search.
struct DepthFirst {
  explicit DepthFirst(std::pmr::memory_resource& memory)
      : nodes(&memory), parents(&memory), numbers(&memory) {}

  std::pmr::vector<BlockId> nodes;
  std::pmr::vector<uint32_t> parents;  // numbers; the root's is its own
  std::pmr::vector<uint32_t> numbers;  // by BlockId; kUnseen: not reached
};

// Calls leave(number) for each node in post-order.
template <class Graph, class Leave>
DepthFirst search_depth_first(const Graph& graph, std::pmr::memory_resource& memory, Leave leave) {
  struct Visit {
    uint32_t number;
    uint32_t next;  // the successor to look at next
  };
  DepthFirst search(memory);
  std::pmr::vector<Visit> stack(&memory);
  search.nodes.reserve(graph.num_nodes());
  search.parents.reserve(graph.num_nodes());
  auto enter = [&](BlockId b, uint32_t parent) {
    uint32_t number = static_cast<uint32_t>(search.nodes.size());
    search.numbers[b.index()] = number;
    search.nodes.push_back(b);
    search.parents.push_back(parent);
    stack.push_back({number, 0});
  };
  search.numbers.assign(graph.num_nodes(), kUnseen);
  enter(graph.root(), 0);
  while (!stack.empty()) {
    Visit& top = stack.back();
    std::span<const BlockId> successors = graph.successors(search.nodes[top.number]);
    if (top.next == successors.size()) {
      leave(top.number);
      stack.pop_back();
      continue;
    }
    BlockId to = successors[top.next++];
    if (search.numbers[to.index()] == kUnseen && graph.takes_part(to)) enter(to, top.number);
  }
  return search;
}

template <class Graph>
DepthFirst search_depth_first(const Graph& graph, std::pmr::memory_resource& memory) {
  return search_depth_first(graph, memory, [](uint32_t) {});
}

}  // namespace psi::analysis
