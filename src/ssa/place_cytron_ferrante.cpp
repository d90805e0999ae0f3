// After Cytron and Ferrante, "Efficiently Computing Phi-Nodes On-The-Fly" (1995).
//
// Block y needs a phi if it has a predecessor z such that the path up the dominator tree from z to the child
// x of y's immediate dominator, x included, has a definition or a phi on it.
//
//        idom(y)          Blocks are taken by their immediate dominator, the last in preorder first. When y
//        /     \          is, all below x is decided, and the path is looked up with path compression. What
//       x       y         is left is x itself, a sibling of y that y may in turn depend on: siblings are
//      ...     /          taken in groups that depend on each other (strongly connected components), in the
//       z ---->           order of dependence, and a group decides as one: all its members need a phi if one
//                         does, or if one defines the variable.
//
// Order and groups do not depend on the variable and are found once. A variable then costs one pass over the
// edges to joins, however few definitions it has, so V variables cost V times the graph, nearly.

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "ssa/placement.h"
#include "support/components.h"

namespace psi::ssa {
namespace {

// Blocks are named by their preorder numbers in the dominator tree here.
class CytronFerrantePlacement : public PhiPlacement {
 public:
  explicit CytronFerrantePlacement(Analyses& analyses)
      : cfg_(analyses.get<Cfg>()), dominators_(analyses.get<Dominators>()) {
    size_ = static_cast<uint32_t>(dominators_.preorder().size());
    find_join_edges();
    find_groups();
    defined_.resize(size_);
    placed_.resize(size_);
    up_.resize(size_);
    on_path_.resize(size_);
  }

  using PhiPlacement::place;
  void place(std::span<const BlockId> definitions, const BlockSet* within,
             std::vector<BlockId>& joins) override {
    std::fill(defined_.begin(), defined_.end(), false);
    std::fill(placed_.begin(), placed_.end(), false);
    for (uint32_t v = 0; v < size_; ++v) up_[v] = v;
    for (BlockId b : definitions) {
      if (!dominators_.is_reachable(b)) continue;
      defined_[dominators_.pre_number(b)] = true;
    }
    for (const Family& family : families_) {
      BlockId parent = dominators_.preorder()[family.parent];
      if (family.first_group != family.last_group) take(parent);
      for (uint32_t g = family.first_group; g < family.last_group; ++g) {
        decide(group_start_[g], group_start_[g + 1], parent);
      }
      for (BlockId child : dominators_.children(parent)) link(number(child), family.parent);
    }
    elements_ += group_members_.size();
    for (uint32_t v = 0; v < size_; ++v) {
      BlockId b = dominators_.preorder()[v];
      if (placed_[v] && (!within || within->contains(b))) joins.push_back(b);
    }
  }

 private:
  // An edge z -> y where z does not strictly dominate y, and the sibling x of y that dominates z.
  struct JoinEdge {
    uint32_t from;
    uint32_t sibling;
  };
  // The children of one block: their groups, those that others depend on first.
  struct Family {
    uint32_t parent;
    uint32_t first_group;
    uint32_t last_group;
  };

  uint32_t number(BlockId b) const { return dominators_.pre_number(b); }

  void find_join_edges() {
    edge_start_.assign(size_ + 1, 0);
    for (uint32_t v = 0; v < size_; ++v) {
      BlockId to = dominators_.preorder()[v];
      cfg_.for_each_distinct_predecessor(to, [&](BlockId from) {
        if (!dominators_.is_reachable(from) || dominators_.strictly_dominates(from, to)) return;
        std::span<const BlockId> siblings = dominators_.children(dominators_.idom(to));
        auto above = std::upper_bound(siblings.begin(), siblings.end(), number(from),
                                      [&](uint32_t n, BlockId sibling) { return n < number(sibling); });
        edges_.push_back({number(from), number(*(above - 1))});
      });
      edge_start_[v + 1] = static_cast<uint32_t>(edges_.size());
    }
  }

  // The components of the siblings of every family, each after those that it depends on.
  void find_groups() {
    Components components(size_);
    auto num_edges = [&](uint32_t v) { return edge_start_[v + 1] - edge_start_[v]; };
    for (uint32_t parent = size_; parent-- > 0;) {
      std::span<const BlockId> children = dominators_.children(dominators_.preorder()[parent]);
      if (children.empty()) continue;
      Family family{parent, static_cast<uint32_t>(group_start_.size()), 0};
      for (BlockId child : children) {
        // A block that no edge joins at needs no phi and stays out of the groups.
        if (components.is_visited(number(child)) || num_edges(number(child)) == 0) continue;
        components.visit(
            number(child), num_edges,
            [&](uint32_t v, uint32_t i) {
              uint32_t sibling = edges_[edge_start_[v] + i].sibling;
              return num_edges(sibling) == 0 ? Components::kNoNode : sibling;
            },
            [&](std::span<const uint32_t> members) {
              group_start_.push_back(static_cast<uint32_t>(group_members_.size()));
              group_members_.insert(group_members_.end(), members.begin(), members.end());
            });
      }
      family.last_group = static_cast<uint32_t>(group_start_.size());
      families_.push_back(family);
    }
    group_start_.push_back(static_cast<uint32_t>(group_members_.size()));
  }

  void decide(uint32_t first, uint32_t last, BlockId parent) {
    for (uint32_t i = first; i < last; ++i) {
      uint32_t v = group_members_[i];
      for (uint32_t e = edge_start_[v]; e < edge_start_[v + 1]; ++e) {
        auto [from, sibling] = edges_[e];
        if (!defined_[sibling] && !placed_[sibling] && !on_path_below(from, sibling)) continue;
        for (uint32_t k = first; k < last; ++k) {
          placed_[group_members_[k]] = true;
          find(parent, dominators_.preorder()[group_members_[k]]);
        }
        return;
      }
    }
  }

  // Is there a definition or a phi on the path from v up to its root, exclusive?
  bool on_path_below(uint32_t v, uint32_t root) {
    if (v == root) return false;
    while (up_[v] != root) {
      path_.push_back(v);
      v = up_[v];
    }
    bool found = on_path_[v];
    while (!path_.empty()) {
      v = path_.back();
      path_.pop_back();
      found = found || on_path_[v];
      on_path_[v] = found;
      up_[v] = root;
    }
    return found;
  }

  // Extends paths through `child` to `parent`.
  void link(uint32_t child, uint32_t parent) {
    up_[child] = parent;
    on_path_[child] = defined_[child] || placed_[child];
  }

  const Cfg& cfg_;
  const Dominators& dominators_;
  uint32_t size_ = 0;
  std::vector<uint32_t> edge_start_;  // by target, and one more
  std::vector<JoinEdge> edges_;
  std::vector<Family> families_;
  std::vector<uint32_t> group_start_;
  std::vector<uint32_t> group_members_;

  // Of one variable.
  std::vector<bool> defined_;
  std::vector<bool> placed_;
  std::vector<uint32_t> up_;   // a node on the path to the root; itself for a root
  std::vector<bool> on_path_;  // is there a definition or phi from here to just below up_?
  std::vector<uint32_t> path_;
};

}  // namespace

std::unique_ptr<PhiPlacement> make_cytron_ferrante_placement(Analyses& analyses, std::pmr::memory_resource&) {
  return std::make_unique<CytronFerrantePlacement>(analyses);
}

}  // namespace psi::ssa
