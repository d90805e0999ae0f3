#include "predicate/phi_gates.h"

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"

namespace psi::predicate {
namespace {

constexpr size_t kMaxBetween = 16;

// The dominator and the blocks between, in order. Empty if there are too many, or an edge leads back.
std::vector<BlockId> blocks_between(Analyses& analyses, BlockId block) {
  const Cfg& cfg = analyses.get<Cfg>();
  const Order& order = analyses.get<Order>();
  BlockId dominator = order.is_reachable(block) ? analyses.get<Dominators>().idom(block) : BlockId();
  if (!dominator) return {};
  std::vector<BlockId> found{dominator}, work{block};
  while (!work.empty()) {
    BlockId b = work.back();
    work.pop_back();
    for (BlockId p : cfg.predecessors(b)) {
      if (!order.is_reachable(p)) continue;
      if (order.number(p) >= order.number(b)) return {};
      if (std::ranges::find(found, p) != found.end()) continue;
      if (found.size() > kMaxBetween) return {};
      found.push_back(p);
      work.push_back(p);
    }
  }
  std::ranges::sort(found, {}, [&](BlockId b) { return order.number(b); });
  return found;
}

}  // namespace

bool collect_phi_gates(Analyses& analyses, BlockId block, Predicates& predicates,
                       std::vector<EdgeTerm>& gates) {
  PredicateTerms& terms = predicates.terms();
  std::vector<BlockId> blocks = blocks_between(analyses, block);
  gates.clear();
  if (blocks.empty()) return false;
  std::vector<Term> reached(blocks.size(), Term::never());
  reached[0] = Term::always();
  std::vector<EdgeTerm> edges;
  for (size_t i = 0; i < blocks.size(); ++i) {
    collect_edge_terms(blocks[i], predicates, edges);
    Term gate = Term::never();
    for (const EdgeTerm& edge : edges) {
      Term taken = terms.both(reached[i], edge.term);
      auto at = std::ranges::find(blocks, edge.target);
      if (edge.target == block) {
        gate = terms.either(gate, taken);
      } else if (at != blocks.end()) {
        Term& term = reached[static_cast<size_t>(at - blocks.begin())];
        term = terms.either(term, taken);
      }
    }
    if (gate != Term::never()) gates.push_back({blocks[i], gate});
  }
  return true;
}

}  // namespace psi::predicate
