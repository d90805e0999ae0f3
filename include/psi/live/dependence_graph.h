// Dependences between the instructions of a block, for schedulers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "psi/live/predicate_flow.h"

namespace psi {

struct Dependence {
  enum class Kind : uint8_t {
    Flow,     // reads what the other wrote
    Anti,     // writes what the other has read
    Output,   // writes what the other has written
    Memory,   // one of the two writes memory, or is an ordered effect
    Control,  // phis come first, terminators last; potential undefined behaviour, as a division or a read of
              // a guard, stays behind calls, which may not return
  };
  uint32_t from = 0;  // positions in the block
  uint32_t to = 0;
  Kind kind = Kind::Flow;
  Reg reg;  // Flow, Anti, Output: the register that it is about

  bool operator==(const Dependence&) const = default;
};

// For any form. Two instructions with disjoint predicates do not depend on each other, except that in SSA
// forms a use stays behind its definition. Targets of parallel-or compares write the same value, so they do
// not depend on each other either, nor do those of parallel-and compares. Dependences implied by a chain of
// others may be missing.
class DependenceGraph {
 public:
  // Global scope is the same as Local. Near-linear in the size of the block and the number of pairs of
  // accesses to a register, or to memory, with none between that covers them.
  DependenceGraph(const Function& function, BlockId block, FlowScope scope);

  uint32_t num_insts() const { return static_cast<uint32_t>(start_.size()) - 1; }
  // All of them, in the order of `to`, then of `from`.
  std::span<const Dependence> all() const { return all_; }
  // The dependences of an instruction on earlier ones.
  std::span<const Dependence> into(uint32_t position) const {
    return std::span(all_).subspan(start_[position], start_[position + 1] - start_[position]);
  }

  // The cycles that must pass between the two instructions; 0 if they can issue together.
  using Latency = std::function<uint32_t(const Dependence&)>;
  // One for Flow, Output and Memory, none for Anti and Control.
  static uint32_t unit_latency(const Dependence& dependence);
  // The cycles that a machine of unlimited width takes to issue the block.
  uint64_t height(const Latency& latency = unit_latency) const;

 private:
  std::vector<Dependence> all_;
  std::vector<uint32_t> start_;  // by position, and one more
};

}  // namespace psi
