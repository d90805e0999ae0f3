// Guards as decisions: conjunctions of conditions, and the decision tree whose paths they are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "psi/analysis/uses.h"
#include "psi/ir/function.h"

namespace psi::psi_transforms {

// A value and its conjunction of conditions: bits for those that must be true, and for those that must be
// false.
struct Decision {
  uint32_t holds = 0;
  uint32_t fails = 0;
  Operand value;

  uint32_t conditions() const { return holds | fails; }
};

class Decisions {
 public:
  Decisions(const Function& function, const Uses& uses) : function_(function), uses_(uses) {}

  void clear();
  // The value where the guard is true, by the conditions that the guard is computed from with `and`, `or` and
  // `not`. An `or` makes several disjoint decisions; a guard that is never true makes none. False if there
  // are too many.
  bool add(Operand guard, Operand value);

  // The later one counts where several hold.
  std::span<const Decision> all() const { return all_; }
  // By bit.
  std::span<const Reg> conditions() const { return conditions_; }

 private:
  bool split(size_t which);
  std::optional<uint32_t> bit_of(Reg condition);
  bool require(Decision& decision, Operand condition);

  const Function& function_;
  const Uses& uses_;
  std::vector<Decision> all_;
  std::vector<Reg> conditions_;
  bool is_full_ = false;
};

// Nested conditions, with one value left on each path.
class DecisionTree {
 public:
  struct Node {
    uint32_t condition = kNone;  // a bit; none: the value is known
    uint32_t yes = 0, no = 0;    // nodes of higher numbers
    bool is_frozen = false;      // the value must be right even if the condition is undef
    Operand value;
    std::vector<Decision> left;  // the remaining decisions
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  // False if the remaining decisions have no common condition; the first one may have none.
  bool build(std::span<const Decision> decisions);
  // The first is the root.
  std::vector<Node>& nodes() { return nodes_; }
  size_t num_selects() const { return nodes_.size() / 2; }

 private:
  bool split(uint32_t n);

  std::vector<Node> nodes_;
};

}  // namespace psi::psi_transforms
