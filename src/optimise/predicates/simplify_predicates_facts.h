// Facts about predicates from the branches above a block.
//
//     @a: br %p, @b, @c          in @b and what it dominates p is true; if p is x < 5, so is x < 10
//     @b: ...
//
// Blocks are entered in preorder of the dominator tree. A block with a single incoming edge has the facts of
// its immediate dominator and the condition of that edge. A fact is a term; conjunctions are split.
//
// Facts are about values. A branch reads its condition, so that is defined; whatever undefined values a term
// mentions, it holds for any choice of them, and so does what follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/pass/analyses.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {

class PathFacts {
 public:
  PathFacts(const Function& function, Analyses& analyses, GuardFacts& guards)
      : function_(function),
        cfg_(analyses.get<Cfg>()),
        dominators_(analyses.get<Dominators>()),
        guards_(guards) {}

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
  // Facts with different keys are unrelated.
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

}  // namespace psi::optimise
