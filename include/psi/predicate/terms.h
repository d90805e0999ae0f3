// Boolean terms over conditions: the meaning of a program's predicates.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "psi/ir/opcode.h"
#include "psi/ir/type.h"
#include "psi/support/id.h"

namespace psi {

// A value of the program: equal numbers, equal values.
using ValueNumber = uint32_t;

// An elementary condition on values: how two of them compare, the range of a number, a bit. It is represented
// by the set of outcomes that make it true, so that conditions on the same values can be tested for
// disjointness and containment.
struct Condition {
  enum class Kind : uint8_t {
    Bit,    // left, of type i1, is true
    Pair,   // left against right
    Range,  // low <= left <= high, as signed numbers
  };
  // How two values compare. Integers: as signed and as unsigned numbers.
  enum Outcome : uint8_t {
    Equal = 1,
    LessLess = 2,     // both as signed and as unsigned
    LessGreater = 4,  // less as signed, greater as unsigned
    GreaterLess = 8,
    GreaterGreater = 16,
    Less = 2,  // floating point
    Greater = 4,
    Unordered = 8,
  };
  Kind kind = Kind::Bit;
  Type type = Type::i1;  // of the values; for pointers the integer type of their width
  uint8_t outcomes = 0;  // Pair
  ValueNumber left = 0;
  ValueNumber right = 0;  // Pair
  int64_t low = 0;        // Range
  int64_t high = 0;

  bool operator==(const Condition&) const = default;
};

// All outcomes of a comparison of two values, and those that make a condition true.
constexpr uint8_t all_outcomes(Type type) { return is_float(type) ? 15 : 31; }
uint8_t outcomes_of(Cond cond);

using ConditionId = Id<struct ConditionTag>;

// A boolean term or its negation; equal terms are equal functions, but not the reverse.
class Term {
 public:
  constexpr Term() = default;  // always true
  static constexpr Term always() { return Term(); }
  static constexpr Term never() { return !Term(); }
  static constexpr Term of_node(uint32_t node, bool negated = false) {
    return Term(node << 1 | (negated ? 1 : 0));
  }

  constexpr uint32_t node() const { return bits_ >> 1; }
  constexpr bool is_negated() const { return bits_ & 1; }
  constexpr bool is_constant() const { return node() == 0; }
  // The term without its negation, if any.
  constexpr Term positive() const { return Term(bits_ & ~1u); }
  constexpr Term operator!() const { return Term(bits_ ^ 1); }
  constexpr auto operator<=>(const Term&) const = default;
  constexpr uint32_t raw() const { return bits_; }

 private:
  constexpr explicit Term(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

// All terms of one function: a graph of conditions and conjunctions, each made once. Negation is a bit of the
// reference. Terms that simplify to true, false or a simpler term never become nodes.
class PredicateTerms {
 public:
  enum class Kind : uint8_t { Always, Condition, Both };

  PredicateTerms();

  // left <cond> right. Constants are special for integers and pointers only.
  Term compare(Type type, Cond cond, ValueNumber left, ValueNumber right);
  Term compare_with_constant(Type type, Cond cond, ValueNumber left, uint64_t constant_bits);
  Term bit(ValueNumber value);
  Term both(Term a, Term b);
  Term either(Term a, Term b) { return !both(!a, !b); }
  Term choose(Term condition, Term then, Term otherwise) {
    Term taken = both(condition, then);
    return either(taken, both(!condition, otherwise));
  }

  // Marks a value that is not free: a literal has its bits, and an address is determined elsewhere. Engines
  // do not refute a statement with another value.
  void fix(ValueNumber value, std::optional<uint64_t> bits) { fixed_.try_emplace(value, bits); }
  bool is_fixed(ValueNumber value) const { return fixed_.contains(value); }
  std::optional<uint64_t> known_bits(ValueNumber value) const {
    auto at = fixed_.find(value);
    return at == fixed_.end() ? std::nullopt : at->second;
  }

  // Disjoint without a search: a term and its negation, conditions on the same values, conjunctions with such
  // parts.
  bool excludes(Term a, Term b) const;

  uint32_t num_nodes() const { return static_cast<uint32_t>(nodes_.size()); }
  // Of the term without its negation.
  Kind kind(Term term) const { return nodes_[term.node()].kind; }
  const Condition& condition(Term term) const { return conditions_[nodes_[term.node()].first]; }
  ConditionId condition_id(Term term) const { return ConditionId(nodes_[term.node()].first); }
  // The node of a condition.
  Term condition_term(ConditionId id) const { return Term::of_node(condition_nodes_[id.index()]); }
  uint32_t num_conditions() const { return static_cast<uint32_t>(conditions_.size()); }
  // The two parts of a conjunction.
  Term first(Term term) const {
    return Term::of_node(nodes_[term.node()].first >> 1, nodes_[term.node()].first & 1);
  }
  Term second(Term term) const {
    return Term::of_node(nodes_[term.node()].second >> 1, nodes_[term.node()].second & 1);
  }

 private:
  struct Node {
    Kind kind;
    uint32_t first;   // Condition: its id; Both: the first part
    uint32_t second;  // Both
  };

  struct Slot {
    uint64_t hash = 0;
    uint32_t node = 0;  // 0: free
  };

  Term condition_literal(Condition condition, bool negated);
  bool absorb(Term& a, Term& b);
  std::optional<Term> neither(Term a, Term b);
  bool conditions_exclude(Term a, Term b) const;
  uint8_t outcomes(Term term) const;
  std::optional<Term> both_conditions(Term a, Term b);
  template <class IsSame>
  uint32_t find(uint64_t hash, IsSame is_same) const;
  uint32_t add(uint64_t hash, const Node& node);
  void place(const Slot& slot);

  std::vector<Node> nodes_;
  std::vector<Condition> conditions_;
  std::vector<uint32_t> condition_nodes_;  // by ConditionId
  std::vector<Slot> table_;                // of nodes, open addressing
  std::unordered_map<ValueNumber, std::optional<uint64_t>> fixed_;
};

// Are two conditions about the same values?
bool same_family(const Condition& a, const Condition& b);

}  // namespace psi
