// The partition graph: sets of executions as disjoint unions of others (Johnson and Schlansker 1996).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "psi/predicate/terms.h"
#include "psi/support/id.h"

namespace psi {

// A nonempty set of executions: those in which some term is true.
using Symbol = Id<struct PredicateSymbolTag>;

// A partition W = X | Y | ...: the parts are disjoint, and their union is the whole. The graph has all
// partitions that follow from the structure of terms; every symbol can be reached from the root, the set of
// all executions. The graph grows with the terms that are queried.
class PartitionGraph {
 public:
  // Adds terms for the parts that complete a partition.
  explicit PartitionGraph(PredicateTerms& terms);

  static constexpr Symbol root() { return Symbol(0); }
  // None for a term that is known to be never true. Near-linear in the terms that are not in the graph yet.
  Symbol symbol(Term term);
  Term term(Symbol s) const { return symbols_[s.index()].term; }
  uint32_t num_symbols() const { return static_cast<uint32_t>(symbols_.size()); }
  // The least number of partitions on a path from the root.
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

  // Do the partitions prove it? False: not known. In graphs of up to 64 symbols all conclusions are known, at
  // the cost of one word operation; in larger ones they are searched for, within limits.
  bool is_subset(Symbol p, Symbol q) const;
  bool is_disjoint(Symbol p, Symbol q) const;
  // A partition that has p within one part and q within another, or kNone.
  PartitionId separation(Symbol p, Symbol q) const;
  // The deepest set known to include both.
  Symbol lowest_common_ancestor(Symbol p, Symbol q) const;
  // Adds to `rest` disjoint symbols whose union is q without p; false, and adds nothing, if no path from q
  // down to p was found.
  bool relative_complement(Symbol p, Symbol q, std::vector<Symbol>& rest) const;

  static constexpr PartitionId kNone = UINT32_MAX;

 private:
  struct Node {
    Term term;
    uint32_t level = 0;
    bool is_placed = false;  // the structure of its term is in the graph
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

  // A condition that needs no symbol, as it splits one input only.
  struct SingleSplit {
    Term input;
    std::vector<Term> products;  // of the input and the condition or its negation
  };
  // Conditions on the same values. As long as they are disjoint and split the same input, which is 1 for
  // conditions with symbols, each splits the rest that the earlier ones left: i = (i & c) | (i & d) | ...
  struct Family {
    std::vector<Term> members;
    bool is_single = true;
    bool are_equalities = true;
    Term input;
    Term rest;
  };
  // A conjunction as an input and the condition that splits it.
  struct Split {
    Term input;
    Term by;
  };

  Symbol find(Term term) const;
  Symbol intern(Term term, uint32_t level);
  bool is_placed(Term term) const;
  Split as_split(Term both) const;
  bool can_be_single_split(Term condition, Term input) const;
  std::vector<Term> related_conditions(Term condition) const;
  bool is_equality(Term condition) const;
  bool excludes_all(Term condition, const Family& family) const;
  void extend(Family& family, Term input, Term condition);
  void add_member(Family& family, Term condition);
  bool needs(Term term, std::vector<Term>& pending) const;
  void place(Term term);
  void place_condition(Term term);
  void place_both(Term term);
  void place_either(Term term);
  void add_single_split(Term condition, Term input, Term product);
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
  // The most partitions that a query visits. All but very large graphs answer much sooner.
  static constexpr uint32_t kMaxQuerySteps = 4096;
  // A path up to a symbol from the one where a walk began.
  struct Step {
    Symbol symbol;
    uint32_t below;         // the step before
    PartitionId partition;  // the partition that leads up
  };

  void refresh() const;
  bool infer() const;
  bool search_subset(Symbol p, Symbol q) const;
  bool search_disjoint(Symbol p, Symbol q) const;
  void require(Symbol a, Symbol b) const;
  bool decompose(Symbol a, Symbol b) const;
  PartitionId union_of(Symbol s) const;
  Symbol union_above(Symbol s) const;
  Symbol input_of(Symbol s) const;
  PartitionId find_separation(Symbol p, Symbol q) const;
  bool collect_above(Symbol s, Marks& marks, std::vector<Symbol>& list) const;
  void start_query() const { steps_left_ = kMaxQuerySteps; }
  // May the query visit one more partition?
  bool may_step() const { return steps_left_ > 0 && steps_left_-- > 0; }

  PredicateTerms& terms_;
  std::vector<Node> symbols_;
  std::vector<Partition> partitions_;
  std::vector<Symbol> parts_;
  std::vector<Symbol> by_term_;  // by Term::raw()
  std::unordered_map<uint64_t, Family> families_;
  std::unordered_map<uint32_t, SingleSplit> single_splits_;  // by the condition's node

  // For queries.
  mutable std::vector<Words> words_;  // by Symbol, if there are at most 64
  mutable bool is_fresh_ = false;
  mutable Marks above_p_, above_q_;
  mutable std::vector<Symbol> list_p_, list_q_;
  mutable std::vector<Step> steps_;
  mutable std::vector<std::pair<Symbol, Symbol>> pairs_;
  mutable uint32_t steps_left_ = 0;
};

}  // namespace psi
