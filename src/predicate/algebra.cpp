// The algorithms of figures 6 and 7, with two errors of the printed text corrected: lub_diff returns the new
// expression, and the reduction of a sum continues until no partition applies.

#include "psi/predicate/algebra.h"

#include <algorithm>
#include <span>

namespace psi {
namespace {

// The most pieces that the rest of a set may have when it is split level by level; beyond, the result is
// approximate.
constexpr size_t kMaxRest = 64;
// The most partitions of a set that are tried; in very large graphs some sets have thousands.
constexpr size_t kMaxPartitions = 32;

}  // namespace

bool PredicateAlgebra::is_disjoint(Symbol p, const PredicateExpr& e) const {
  return !p || !e.any_of([&](Symbol q) { return !graph_.is_disjoint(p, q); });
}

// Contained in one symbol, or in parts in several.
bool PredicateAlgebra::is_subset(Symbol p, const PredicateExpr& e) const {
  auto within_one = [&](Symbol s) { return e.any_of([&](Symbol q) { return graph_.is_subset(s, q); }); };
  if (!p || within_one(p)) return true;
  if (e.empty()) return false;
  std::span<const PartitionGraph::PartitionId> partitions = graph_.partitions_of(p);
  for (PartitionGraph::PartitionId id : partitions.first(std::min(partitions.size(), kMaxPartitions))) {
    bool all = true;
    for (Symbol part : graph_.parts(id)) all = all && within_one(part);
    if (all) return true;
  }
  return false;
}

PredicateExpr PredicateAlgebra::lub_sum(Symbol p, const PredicateExpr& e) const {
  PredicateExpr result = e;
  if (p) add(p, result);
  return result;
}

PredicateExpr PredicateAlgebra::lub_sum(const PredicateExpr& e, const PredicateExpr& f) const {
  PredicateExpr result = e;
  f.for_each([&](Symbol p) { add(p, result); });
  return result;
}

void PredicateAlgebra::add(Symbol p, PredicateExpr& e) const {
  while (true) {
    if (e.any_of([&](Symbol q) { return graph_.is_subset(p, q); })) return;
    PredicateExpr inside;
    e.for_each([&](Symbol q) {
      if (graph_.is_subset(q, p)) inside.insert(q);
    });
    inside.for_each([&](Symbol q) { e.erase(q); });
    e.insert(p);
    // A whole replaces its parts if all are present.
    Symbol whole;
    for (PartitionGraph::PartitionId id : graph_.partitions_with(p)) {
      bool all = true;
      for (Symbol part : graph_.parts(id)) all = all && e.contains(part);
      if (!all) continue;
      whole = graph_.whole(id);
      break;
    }
    if (!whole) return;
    p = whole;
  }
}

PredicateExpr PredicateAlgebra::lub_diff(const PredicateExpr& e, Symbol p) const {
  if (!p) return e;
  PredicateExpr result;
  std::vector<Symbol> rest;
  e.for_each([&](Symbol q) {
    if (graph_.is_subset(q, p)) return;
    if (graph_.is_disjoint(p, q)) return add(q, result);
    rest.clear();
    if (!graph_.relative_complement(p, q, rest)) {
      if (!graph_.relative_complement(p, graph_.lowest_common_ancestor(p, q), rest)) rest.push_back(q);
      // Parts known to be outside q were not in the expression.
      if (rest.size() <= kMaxRest) std::erase_if(rest, [&](Symbol s) { return graph_.is_disjoint(s, q); });
    }
    if (rest.size() > kMaxRest) rest.assign(1, q);
    for (Symbol s : rest) add(s, result);
  });
  return result;
}

PredicateExpr PredicateAlgebra::glb_diff(const PredicateExpr& e, Symbol p) const {
  if (!p) return e;
  PredicateExpr result;
  std::vector<Symbol> rest;
  e.for_each([&](Symbol q) {
    if (graph_.is_subset(q, p)) return;
    if (graph_.is_disjoint(p, q)) return add(q, result);
    rest.clear();
    if (graph_.relative_complement(p, q, rest)) {
      if (rest.size() > kMaxRest) rest.resize(kMaxRest);
      for (Symbol s : rest) add(s, result);
      return;
    }
    // The parts of q that are known to be outside p.
    for (PartitionGraph::PartitionId id : graph_.partitions_of(q)) {
      for (Symbol part : graph_.parts(id)) {
        if (graph_.is_disjoint(part, p)) add(part, result);
      }
    }
  });
  return result;
}

}  // namespace psi
