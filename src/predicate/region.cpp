// Terms flow along the edges of the region, each block after its predecessors. So that joins restore what
// branches split, all edges from one block to another are summed before they are met with the block's term,
// and a block that post-dominates its dominator has the dominator's term.

#include <algorithm>
#include <tuple>

#include "predicate/edge_terms.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

class RegionTerms {
 public:
  RegionTerms(Analyses& analyses, std::span<const BlockId> blocks, Predicates& predicates)
      : function_(predicates.scanned()),
        order_(analyses.get<Order>()),
        cfg_(analyses.get<Cfg>()),
        dominators_(analyses.get<Dominators>()),
        predicates_(predicates),
        terms_(predicates.terms()) {
    for (BlockId b : blocks) reached_.push_back({b, Term::never()});
    std::ranges::sort(reached_, {}, [&](const Reached& reached) { return order_.number(reached.block); });
    find_post_dominators();
  }

  // An edge inside the region that does not go forward in the order would close a cycle, unless it leads to
  // the entry, where the region is entered anew.
  void run() {
    reached_[0].term = Term::always();
    for (uint32_t i = 0; i < reached_.size(); ++i) {
      uint32_t above = i == 0 ? kOutside : find(dominators_.idom(reached_[i].block));
      if (above != kOutside && reached_[above].post_dominator == i) reached_[i].term = reached_[above].term;
      leave(reached_[i].block, reached_[i].term);
    }
  }

  Term term(BlockId b) const { return reached_[find(b)].term; }

 private:
  static constexpr uint32_t kOutside = UINT32_MAX;

  struct Reached {
    BlockId block;
    Term term;
    // The post-dominator tree: the parent of a block, or kOutside; and a jump far up, for a fast search of
    // common ancestors.
    uint32_t post_dominator = kOutside;
    uint32_t jump = kOutside;
    uint32_t depth = 0;
  };

  uint32_t find(BlockId b) const {
    auto number = [&](const Reached& reached) { return order_.number(reached.block); };
    auto at = std::ranges::lower_bound(reached_, order_.number(b), {}, number);
    return at != reached_.end() && at->block == b ? static_cast<uint32_t>(at - reached_.begin()) : kOutside;
  }

  // Each block after its successors.
  void find_post_dominators() {
    for (uint32_t i = static_cast<uint32_t>(reached_.size()); i-- > 0;) {
      std::span<const BlockId> successors = cfg_.successors(reached_[i].block);
      uint32_t common =
          successors.empty() || may_return(reached_[i].block) ? kOutside : target(i, successors[0]);
      for (BlockId to : successors) {
        if (common != kOutside) common = common_post_dominator(common, target(i, to));
      }
      hang(i, common);
    }
  }
  // An edge that does not go forward leaves the region.
  uint32_t target(uint32_t from, BlockId to) const {
    uint32_t at = find(to);
    return at == kOutside || at <= from ? kOutside : at;
  }
  // Not all terminators need be branches.
  bool may_return(BlockId b) const {
    return std::ranges::any_of(function_.terminators(b), [&](InstId id) {
      Opcode op = function_.inst(id).op;
      return op != Opcode::Br && op != Opcode::Switch;
    });
  }

  // Jumps are as long as those of skew-binary numbers, so that a search takes logarithmic time.
  void hang(uint32_t i, uint32_t parent) {
    Reached& own = reached_[i];
    own.post_dominator = parent;
    if (parent == kOutside) return;
    const Reached& above = reached_[parent];
    own.depth = above.depth + 1;
    uint32_t far = above.jump;
    bool is_even =
        far != kOutside && above.depth - reached_[far].depth == reached_[far].depth - jump_depth(far);
    own.jump = is_even ? reached_[far].jump : parent;
  }
  uint32_t jump_depth(uint32_t i) const {
    return reached_[i].jump == kOutside ? reached_[i].depth : reached_[reached_[i].jump].depth;
  }

  uint32_t common_post_dominator(uint32_t a, uint32_t b) const {
    if (a == kOutside || b == kOutside) return kOutside;
    a = climb(a, reached_[b].depth);
    b = climb(b, reached_[a].depth);
    while (a != b) {
      bool far = reached_[a].jump != reached_[b].jump;
      a = far ? reached_[a].jump : reached_[a].post_dominator;
      b = far ? reached_[b].jump : reached_[b].post_dominator;
    }
    return a;
  }
  uint32_t climb(uint32_t i, uint32_t depth) const {
    while (reached_[i].depth > depth) {
      uint32_t jump = reached_[i].jump;
      i = jump != kOutside && reached_[jump].depth >= depth ? jump : reached_[i].post_dominator;
    }
    return i;
  }

  // Each target takes its part of what the earlier ones left, and the last one the rest, unless control may
  // return instead.
  void leave(BlockId b, Term left) {
    predicate::collect_edge_terms(b, predicates_, edges_);
    if (edges_.empty()) return;
    BlockId last = otherwise(b);
    auto order = [&](const predicate::EdgeTerm& edge) {
      return std::tuple(edge.target == last, edge.target, edge.term);
    };
    std::ranges::sort(edges_, {}, order);
    for (size_t i = 0; i < edges_.size();) {
      BlockId to = edges_[i].target;
      Term taken = Term::never();
      for (; i < edges_.size() && edges_[i].target == to; ++i) taken = terms_.either(taken, edges_[i].term);
      bool takes_all = to == last && !may_return(b);
      Term part = takes_all ? left : terms_.both(left, taken);
      uint32_t at = find(to);
      if (at != kOutside) reached_[at].term = terms_.either(reached_[at].term, part);
      if (!takes_all) left = terms_.both(left, !taken);
    }
  }

  // The target if no condition holds.
  BlockId otherwise(BlockId b) const {
    const Inst& terminator = function_.inst(function_.terminators(b).back());
    if (terminator.op == Opcode::Switch) return as_switch(function_, terminator).otherwise;
    if (terminator.is_branch()) return as_branch(function_, terminator).otherwise;
    return terminator.is_jump() ? jump_target(function_, terminator) : BlockId();
  }

  const Function& function_;
  const Order& order_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  Predicates& predicates_;
  PredicateTerms& terms_;
  std::vector<Reached> reached_;  // in reverse post-order
  std::vector<predicate::EdgeTerm> edges_;
};

}  // namespace

std::vector<Term> block_terms(Analyses& analyses, std::span<const BlockId> blocks, Predicates& predicates) {
  RegionTerms region(analyses, blocks, predicates);
  region.run();
  std::vector<Term> terms;
  terms.reserve(blocks.size());
  for (BlockId b : blocks) terms.push_back(region.term(b));
  return terms;
}

}  // namespace psi
