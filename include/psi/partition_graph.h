// The partition graph: which sets of executions are made up of which others (Johnson and Schlansker 1996).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "psi/id.h"
#include "psi/predicate_terms.h"

namespace psi {

// A set of executions: those in which some term is true. Never the empty one.
using Symbol = Id<struct PredicateSymbolTag>;

// A partition W = X | Y | ...: the parts are disjoint, and together they are the whole. The graph has all
// partitions that follow from how terms are made; every symbol can be reached from the root, the set of all
// executions. It grows with the terms that it is asked for.
class PartitionGraph {
 public:
  // Makes terms of its own, for the parts that complete a partition.
  explicit PartitionGraph(PredicateTerms& terms);

  static constexpr Symbol root() { return Symbol(0); }
  // None for a term that is known to be never true. Near-linear in the terms that are new to the graph.
  Symbol symbol(Term term);
  Term term(Symbol s) const { return symbols_[s.index()].term; }
  uint32_t num_symbols() const { return static_cast<uint32_t>(symbols_.size()); }
  // The least number of partitions on a way from the root.
  uint32_t level(Symbol s) const { return symbols_[s.index()].level; }

  using PartitionId = uint32_t;
  uint32_t num_partitions() const { return static_cast<uint32_t>(partitions_.size()); }
  Symbol whole(PartitionId p) const { return partitions_[p].whole; }
  std::span<const Symbol> parts(PartitionId p) const {
    return std::span(parts_).subspan(partitions_[p].first, partitions_[p].count);
  }
  // The partitions that a symbol is the whole, and a part, of.
  std::span<const PartitionId> partitions_of(Symbol s) const { return symbols_[s.index()].down; }
  std::span<const PartitionId> partitions_with(Symbol s) const { return symbols_[s.index()].up; }

  // Do the partitions show it? False: not known. All that follows is known in graphs of up to 64 symbols, and
  // one operation on words tells; in larger ones it is searched for, within limits.
  bool is_subset(Symbol p, Symbol q) const;
  bool is_disjoint(Symbol p, Symbol q) const;
  // A partition that has p within one part and q within another, or kNone.
  PartitionId separation(Symbol p, Symbol q) const;
  // The deepest set known to include both.
  Symbol lowest_common_ancestor(Symbol p, Symbol q) const;
  // Adds to `rest` disjoint symbols that make up q without p; false, and adds nothing, if no way from q down
  // to p was found.
  bool relative_complement(Symbol p, Symbol q, std::vector<Symbol>& rest) const;

  static constexpr PartitionId kNone = UINT32_MAX;

 private:
  struct Node {
    Term term;
    uint32_t level = 0;
    bool is_placed = false;  // how its term is made is in the graph
    std::vector<PartitionId> up;
    std::vector<PartitionId> down;
  };
  struct Partition {
    Symbol whole;
    uint32_t first;
    uint32_t count;
  };
  struct Words {
    uint64_t above = 0;  // and itself
    uint64_t apart = 0;  // disjoint from it
  };

  // A condition that is no set of its own, as it only ever splits one input.
  struct LoneCondition {
    Term input;
    std::vector<Term> products;  // of the input and the condition or its negation
  };
  // Conditions on the same values. As long as they exclude each other and split the same input, which is 1 if
  // they are sets of their own, each splits what the ones before it have left: i = (i & c) | (i & d) | ...
  struct Family {
    std::vector<Term> members;
    bool is_lone = true;
    bool are_equalities = true;
    Term input;
    Term rest;
  };
  // A conjunction as the input that it is part of, and what splits that.
  struct Split {
    Term input;
    Term by;
  };

  Symbol find(Term term) const;
  Symbol intern(Term term, uint32_t level);
  bool is_placed(Term term) const;
  Split as_split(Term both) const;
  bool can_be_lone(Term condition, Term input) const;
  std::vector<Term> relatives(Term condition) const;
  bool is_equality(Term condition) const;
  bool excludes_all(Term condition, const Family& family) const;
  void extend(Family& family, Term input, Term condition);
  void add_member(Family& family, Term condition);
  bool needs(Term term, std::vector<Term>& pending) const;
  void place(Term term);
  void place_condition(Term term);
  void place_both(Term term);
  void place_either(Term term);
  void add_lone(Term condition, Term input, Term product);
  void relate(Term a, Term b);
  void split(Symbol whole, Term part);
  void add_partition(Symbol whole, std::span<const Symbol> parts);
  bool may_be_above(Symbol p, Symbol q) const;
  void lower(Symbol s, uint32_t level);

  // A set of symbols that is emptied in constant time.
  class Marks {
   public:
    void clear(uint32_t num_symbols) {
      stamps_.resize(num_symbols);
      if (++now_ != 0) return;
      stamps_.assign(num_symbols, 0);
      now_ = 1;
    }
    bool contains(Symbol s) const { return stamps_[s.index()] == now_; }
    // False if it was there already.
    bool insert(Symbol s) {
      if (contains(s)) return false;
      stamps_[s.index()] = now_;
      return true;
    }

   private:
    std::vector<uint32_t> stamps_;
    uint32_t now_ = 0;
  };
  // How many partitions a query looks at before it gives up: what is known at all is known much sooner, in
  // all but very large graphs.
  static constexpr uint32_t kMaxLooks = 4096;
  // A way up to a symbol from the one where a walk began.
  struct Step {
    Symbol symbol;
    uint32_t below;         // the step before
    PartitionId partition;  // by which it went up
  };

  void refresh() const;
  bool infer() const;
  bool search_subset(Symbol p, Symbol q) const;
  bool search_disjoint(Symbol p, Symbol q) const;
  void require(Symbol a, Symbol b) const;
  bool take_apart(Symbol a, Symbol b) const;
  PartitionId union_of(Symbol s) const;
  Symbol union_above(Symbol s) const;
  Symbol input_of(Symbol s) const;
  PartitionId find_separation(Symbol p, Symbol q) const;
  bool collect_above(Symbol s, Marks& marks, std::vector<Symbol>& list) const;
  void start_query() const { looks_left_ = kMaxLooks; }
  // At one more partition?
  bool may_look() const { return looks_left_ > 0 && looks_left_-- > 0; }

  PredicateTerms& terms_;
  std::vector<Node> symbols_;
  std::vector<Partition> partitions_;
  std::vector<Symbol> parts_;
  std::vector<Symbol> by_term_;  // by Term::raw()
  std::unordered_map<uint64_t, Family> families_;
  std::unordered_map<uint32_t, LoneCondition> lone_;  // by the condition's node

  // For queries.
  mutable std::vector<Words> words_;  // by Symbol, if there are at most 64
  mutable bool is_fresh_ = false;
  mutable Marks above_p_, above_q_;
  mutable std::vector<Symbol> list_p_, list_q_;
  mutable std::vector<Step> steps_;
  mutable std::vector<std::pair<Symbol, Symbol>> pairs_;
  mutable uint32_t looks_left_ = 0;
};

}  // namespace psi
