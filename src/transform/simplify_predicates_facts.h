// What the branches that lead to a block say of predicates.
//
//     @a: br %p, @b, @c          in @b and what it dominates p is true; if p is x < 5, so is x < 10
//     @b: ...
//
// Blocks are entered in preorder of the dominator tree. A block that one edge alone leads to knows what its
// immediate dominator knew, and why that edge was taken. A fact is a term; conjunctions are taken apart.
//
// Facts are about values. A branch reads its condition, so that is defined; whatever undefined values a term
// mentions, it holds for any choice of them, and so does what follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "psi/analyses.h"
#include "psi/guard_facts.h"

namespace psi::transform {

class PathFacts {
 public:
  PathFacts(const Function& function, Analyses& analyses, GuardFacts& guards)
      : function_(function), cfg_(analyses.cfg()), dominators_(analyses.dominators()), guards_(guards) {}

  void enter(BlockId b);
  // Is the term true, or false, in the block that was entered last? Nothing if that is not known.
  std::optional<bool> known(Term term);

 private:
  struct Scope {
    BlockId block;
    size_t num_facts;  // before it
  };
  struct Fact {
    Term term;
    uint32_t key;
    uint32_t previous;  // with the same key, in facts_
  };

  void add_edge(Edge edge);
  void add(Term term);
  void add_single(Term term);
  std::optional<bool> known_single(Term term);
  // Facts with different keys have nothing to do with each other.
  uint32_t key(Term term) const;

  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  GuardFacts& guards_;
  std::vector<Scope> scopes_;
  std::vector<Fact> facts_;
  std::vector<uint32_t> newest_;  // by key: in facts_
  std::vector<Term> pending_;
};

}  // namespace psi::transform
