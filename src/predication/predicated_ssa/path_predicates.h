// The predicates of paths through a region: conjunctions of the decisions on the path, and unions of these.
//
//     split(always, %c) = {c, !c}         any(c & d, c & !d, !c) = always
//     split(c, %d)      = {c & d, c & !d}
//
// A decision is made once: split returns the same two nodes for the same condition and node, so the union of
// both is the original node. Predicates are computed on demand: a decision under a predicate by one cmpp with
// both outcomes, or by none if it is the first; a union by or.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "predication/if_convert/predicate_code.h"
#include "psi/ir/builder.h"

namespace psi::predication {

using Node = uint32_t;
inline constexpr Node kAlways = 0;
inline constexpr Node kNever = UINT32_MAX;

class PathPredicates {
 public:
  // Instructions are inserted at the builder's position, without a guard.
  explicit PathPredicates(Builder& builder) : builder_(builder), code_(builder), nodes_(1) {}

  // The node's predicate with the condition true, and with it false. `condition`: a predicate in either
  // polarity, or a literal.
  std::pair<Node, Node> split(Node node, Operand condition);
  // Near-linear: unions within unions are flattened only if they are small, so not every simplification is
  // found.
  Node any(std::vector<Node> nodes);

  // As a guard; Operand::always() for kAlways. Not of kNever.
  Operand operand(Node node);
  // A switch is a chain of decisions on these.
  Reg case_test(Type type, Operand value, Operand literal);
  // This compare computed the condition's register, so a decision may replace it.
  void set_compare(Reg condition, InstId compare);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kMaxFlattened = 64;

  struct Entry {
    uint32_t decision = kNone;  // a side of this decision
    bool is_false_side = false;
    std::vector<Node> members;  // of a union
    Operand predicate;          // none: not computed yet
  };
  struct Decision {
    Node node;
    Reg condition;
    Node sides[2];  // true, false
  };

  void compute(Node node);
  void decide(const Decision& decision);

  Builder& builder_;
  predication::PredicateCode code_;
  std::vector<Entry> nodes_;
  std::vector<Decision> decisions_;
  std::unordered_map<uint64_t, uint32_t> decision_of_;  // by node and condition
  std::map<std::vector<Node>, Node> unions_;
  std::unordered_map<Reg, InstId> compares_;
  std::vector<uint8_t> is_member_;  // by Node, while a union is made
};

}  // namespace psi::predication
