#include "predication/if_convert/control_classes.h"

#include <algorithm>

#include "support/hash.h"

namespace psi::predication {
namespace {

// A node that depends on more edges is the disjunction of its incoming edges.
constexpr size_t kMaxDecisions = 16;
// The most steps per edge of the region in the search for dependences.
constexpr uint64_t kMaxSteps = 64;

}  // namespace

ControlClasses::ControlClasses(const RegionGraph& graph)
    : graph_(graph),
      depends_on_(graph.num_nodes()),
      node_class_(graph.num_nodes()),
      edge_class_(graph.edges().size()) {
  size_t num_buckets = 16;
  while (num_buckets < graph.edges().size()) num_buckets *= 2;
  by_hash_.resize(num_buckets);
  first_.push_back(0);
  number({});
  find_dependences();
  number_nodes();
  number_edges();
}

// A node depends on an edge if it post-dominates the target of the edge, but not the source.
void ControlClasses::find_dependences() {
  uint64_t steps = 0, max_steps = kMaxSteps * graph_.edges().size();
  for (uint32_t e = 0; e < graph_.edges().size(); ++e) {
    const RegionGraph::Edge& edge = graph_.edges()[e];
    uint32_t stop = graph_.post_dominator(edge.from);
    for (uint32_t n = edge.to; n != stop && n != RegionGraph::kNone; n = graph_.post_dominator(n)) {
      if (++steps > max_steps) {
        // As if all of them did.
        for (uint32_t m = 1; m < graph_.num_nodes(); ++m) depends_on_[m].assign(kMaxDecisions + 1, 0);
        return;
      }
      if (depends_on_[n].size() <= kMaxDecisions) depends_on_[n].push_back(e);
    }
  }
}

uint32_t ControlClasses::number(std::span<const uint32_t> decisions) {
  std::vector<uint32_t>& bucket = by_hash_[hash_of(decisions) & (by_hash_.size() - 1)];
  for (uint32_t c : bucket) {
    if (std::ranges::equal(this->decisions(c), decisions)) return c;
  }
  uint32_t c = size();
  decisions_.insert(decisions_.end(), decisions.begin(), decisions.end());
  first_.push_back(static_cast<uint32_t>(decisions_.size()));
  bucket.push_back(c);
  return c;
}

void ControlClasses::number_nodes() {
  for (uint32_t n = 0; n < graph_.num_nodes(); ++n) {
    const std::vector<uint32_t>& list = depends_on_[n];
    bool is_known = list.size() <= kMaxDecisions;
    node_class_[n] = is_known ? number(list) : number(graph_.incoming(n));
  }
}

// The only edge out of a block belongs to the class of its source, the only edge into a block to that of its
// target.
void ControlClasses::number_edges() {
  for (uint32_t e = 0; e < graph_.edges().size(); ++e) {
    const RegionGraph::Edge& edge = graph_.edges()[e];
    bool is_only_edge = std::ranges::all_of(graph_.outgoing(edge.from), [&](const RegionGraph::Edge& other) {
      return other.index == edge.index || graph_.is_unreachable_end(other.to);
    });
    if (is_only_edge) {
      edge_class_[e] = node_class_[edge.from];
    } else if (graph_.incoming(edge.to).size() == 1) {
      edge_class_[e] = node_class_[edge.to];
    } else {
      edge_class_[e] = number(std::span(&e, 1));
    }
  }
}

}  // namespace psi::predication
