#include "predication/if_convert/region_graph.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"

namespace psi::predication {
namespace {

// A tree that grows at its leaves. Each node has a jump pointer to an ancestor, such that every ancestor is
// found in logarithmic time (Myers 1983).
class GrowingTree {
 public:
  static constexpr uint32_t kRoot = 0;

  explicit GrowingTree(uint32_t num_nodes) : nodes_(num_nodes) {}

  void add(uint32_t node, uint32_t parent) {
    const Node& up = nodes_[parent];
    const Node& jump = nodes_[up.jump];
    bool is_full = up.depth - jump.depth == jump.depth - nodes_[jump.jump].depth;
    nodes_[node] = {parent, is_full ? jump.jump : parent, up.depth + 1};
  }

  uint32_t common_ancestor(uint32_t a, uint32_t b) const {
    if (nodes_[a].depth < nodes_[b].depth) std::swap(a, b);
    while (nodes_[a].depth > nodes_[b].depth) {
      a = nodes_[nodes_[a].jump].depth >= nodes_[b].depth ? nodes_[a].jump : nodes_[a].parent;
    }
    while (a != b) {
      bool same = nodes_[a].jump == nodes_[b].jump;
      a = same ? nodes_[a].parent : nodes_[a].jump;
      b = same ? nodes_[b].parent : nodes_[b].jump;
    }
    return a;
  }

 private:
  struct Node {
    uint32_t parent = kRoot;
    uint32_t jump = kRoot;
    uint32_t depth = 0;
  };
  std::vector<Node> nodes_;
};

}  // namespace

RegionOrder::RegionOrder(const Function& function, Analyses& analyses)
    : function_(function),
      cfg_(analyses.get<Cfg>()),
      order_(analyses.get<Order>()),
      place_(function.num_blocks()) {
  for (uint32_t i = 0; i < function.layout().size(); ++i) place_[function.layout()[i].index()] = i;
}

void RegionOrder::sort(Region& region) const {
  BlockId entry = *std::ranges::min_element(region.blocks, {}, [&](BlockId b) { return order_.number(b); });
  std::ranges::sort(region.blocks, {}, [&](BlockId b) { return b == entry ? 0 : place_[b.index()] + 1; });
  // Earlier blocks are outside the region.
  bool is_forward = std::ranges::all_of(std::span(region.blocks).subspan(1), [&](BlockId b) {
    return std::ranges::all_of(
        cfg_.predecessors(b), [&](BlockId p) { return p == entry || place_[p.index()] < place_[b.index()]; });
  });
  if (!is_forward) std::ranges::sort(region.blocks, {}, [&](BlockId b) { return order_.number(b); });
  auto follows = [&](BlockId b) { return b != entry && ends_in_unreachable(function_, b); };
  if (std::ranges::none_of(region.blocks, follows)) return;
  std::vector<BlockId> unreachable_ends, sorted;
  std::ranges::copy_if(region.blocks, std::back_inserter(unreachable_ends), follows);
  std::ranges::sort(unreachable_ends);
  for (BlockId b : region.blocks) {
    if (follows(b)) continue;
    sorted.push_back(b);
    for (BlockId side : cfg_.successors(b)) {
      if (std::ranges::binary_search(unreachable_ends, side)) sorted.push_back(side);
    }
  }
  region.blocks = std::move(sorted);
}

RegionGraph::RegionGraph(const Function& function, const Region& region)
    : num_blocks_(static_cast<uint32_t>(region.blocks.size())), blocks_(region.blocks) {
  find_edges(function);
  find_incoming();
  find_post_dominators();
}

void RegionGraph::find_edges(const Function& function) {
  std::unordered_map<uint32_t, uint32_t> node_of;
  for (uint32_t n = 1; n < num_blocks_; ++n) node_of.emplace(blocks_[n].index(), n);
  auto add_exit = [&](uint32_t& node) {
    if (node == kNone) {
      node = static_cast<uint32_t>(blocks_.size());
      blocks_.emplace_back();
    }
    return node;
  };
  for (uint32_t n = 0; n < num_blocks_; ++n) {
    first_out_.push_back(static_cast<uint32_t>(edges_.size()));
    const Inst& terminator = function.inst(function.terminators(blocks_[n]).back());
    uint32_t index = 0;
    auto add = [&](uint32_t to) { edges_.push_back({n, to, index++}); };
    if (terminator.op == Opcode::Ret) add(add_exit(return_));
    if (terminator.op == Opcode::Unreachable) add(add_exit(never_));
    function.for_each_target(terminator, [&](BlockId target) {
      auto [at, is_new] = node_of.try_emplace(target.index(), static_cast<uint32_t>(blocks_.size()));
      if (is_new) blocks_.push_back(target);
      add(at->second);
    });
  }
  first_out_.resize(blocks_.size() + 1, static_cast<uint32_t>(edges_.size()));
  for (uint32_t n = num_blocks_; n < blocks_.size(); ++n) {
    if (n != never_) exits_.push_back(n);
  }
}

void RegionGraph::find_incoming() {
  first_in_.assign(num_nodes() + 1, 0);
  for (const Edge& edge : edges_) ++first_in_[edge.to + 1];
  for (uint32_t n = 0; n < num_nodes(); ++n) first_in_[n + 1] += first_in_[n];
  incoming_.resize(edges_.size());
  std::vector<uint32_t> next(first_in_.begin(), first_in_.end() - 1);
  for (uint32_t e = 0; e < edges_.size(); ++e) incoming_[next[edges_[e].to]++] = e;
}

// Blocks come after their predecessors, so that backwards each comes after its successors. Node n is n + 1 in
// the tree; its root stands for all that follows the exits.
void RegionGraph::find_post_dominators() {
  GrowingTree tree(num_nodes() + 1);
  post_dominator_.assign(num_nodes(), kNone);
  for (uint32_t n = num_nodes(); n-- > 0;) {
    uint32_t parent = GrowingTree::kRoot;
    bool is_first = true;
    for (const Edge& edge : outgoing(n)) {
      if (is_unreachable_end(edge.to)) continue;
      parent = is_first ? edge.to + 1 : tree.common_ancestor(parent, edge.to + 1);
      is_first = false;
    }
    tree.add(n + 1, parent);
    if (parent != GrowingTree::kRoot) post_dominator_[n] = parent - 1;
  }
}

}  // namespace psi::predication
