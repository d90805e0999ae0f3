// The predicates of paths through a region: conjunctions of the decisions on the way, and unions of these.
//
//     split(always, %c) = {c, !c}         any(c & d, c & !d, !c) = always
//     split(c, %d)      = {c & d, c & !d}
//
// A decision is made once: split gives the same two nodes for the same condition at the same place, so a
// union of both is what was there before them. Predicates are computed when first asked for: a decision under
// a predicate by one cmpp with both outcomes, or by none, where it is the first; a union by or.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "if_convert/predicate_code.h"
#include "psi/builder.h"

namespace psi::paths {

using Node = uint32_t;
inline constexpr Node kAlways = 0;
inline constexpr Node kNever = UINT32_MAX;

class PathPredicates {
 public:
  // Instructions go where the builder stands, without a guard.
  explicit PathPredicates(Builder& builder) : builder_(builder), code_(builder), nodes_(1) {}

  // Where the node's predicate holds and the condition does, and where it does not. `condition`: a predicate
  // in either polarity, or a literal.
  std::pair<Node, Node> split(Node node, Operand condition);
  // Near-linear: unions within unions are taken apart only if they are small, so not every union that is a
  // simpler predicate is found to be.
  Node any(std::vector<Node> nodes);

  // As a guard; Operand::always() for kAlways. Not of kNever.
  Operand operand(Node node);
  // A switch is a chain of decisions on these.
  Reg case_test(Type type, Operand value, Operand literal);
  // The condition's register was computed by this compare, which a decision may take over.
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
  if_conversion::PredicateCode code_;
  std::vector<Entry> nodes_;
  std::vector<Decision> decisions_;
  std::unordered_map<uint64_t, uint32_t> decision_of_;  // by node and condition
  std::map<std::vector<Node>, Node> unions_;
  std::unordered_map<Reg, InstId> compares_;
  std::vector<uint8_t> is_member_;  // by Node, while a union is made
};

}  // namespace psi::paths
