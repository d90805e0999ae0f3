// What has been computed, in SSA form: an instruction that would compute it again is not made, so that equal
// predicates stay visibly equal.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/ir/function.h"

namespace psi::select {

class ComputedValues {
 public:
  // `held`: by type. Shapes of other types stay together (psi/select/boundary.h).
  ComputedValues(const Function& function, const Dominators& dominators,
                 const std::array<bool, kNumTypes>& held)
      : function_(function), dominators_(dominators), held_(held) {}

  // The instructions that follow are of this block.
  void start(BlockId block) { block_ = block; }
  // The register that has the result of such an instruction here; none: there is none.
  Operand find(const Inst& inst, std::span<const Operand> operands) const;
  void add(InstId id);

 private:
  struct Entry {
    InstId inst;
    BlockId block;
  };
  bool is_kept(const Inst& inst) const;
  static uint64_t hash(const Inst& inst, std::span<const Operand> operands);

  const Function& function_;
  const Dominators& dominators_;
  std::array<bool, kNumTypes> held_;
  BlockId block_;
  std::unordered_map<uint64_t, Entry> entries_;  // by hash; the last one
};

}  // namespace psi::select
