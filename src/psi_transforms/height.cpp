#include "psi_transforms/height.h"

#include <algorithm>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/psi_transforms/speculate.h"

namespace psi::psi_transforms {

bool Height::needs_copy(Operand guard, Operand value) const {
  if (!value.is_reg()) return true;
  InstId id = uses_.definition(value.reg());
  // An inner psi is written where the outer one takes its argument.
  if (!id || function_.inst(id).is_psi()) return !id;
  return function_.inst(id).guard.as_operand() != guard;
}

uint32_t Height::of(BlockId b) {
  uint32_t height = 0;
  for (InstId id : function_.insts(b)) {
    uint32_t finish = 0;
    uint32_t least = for_each_source(id, [&](InstId source, uint32_t steps) {
      finish = std::max(finish, finish_[source.index()] + steps);
    });
    finish_[id.index()] = std::max(finish, least);
    height = std::max(height, finish_[id.index()]);
  }
  return height;
}

void Height::find_tails(BlockId b) {
  std::span<const InstId> insts = function_.insts(b);
  for (InstId id : insts) tail_[id.index()] = 0;
  for (size_t i = insts.size(); i-- > 0;) {
    uint32_t tail = tail_[insts[i].index()];
    for_each_source(insts[i], [&](InstId source, uint32_t steps) {
      tail_[source.index()] = std::max(tail_[source.index()], tail + steps);
    });
  }
}

bool Height::waits_for_guard(InstId id, uint32_t height) const {
  if (finish_[id.index()] + tail_[id.index()] < height) return false;
  InstId guard = uses_.definition(function_.inst(id).guard.reg());
  if (!guard || uses_.block(guard) != uses_.block(id)) return false;
  uint32_t by_guard = finish_[guard.index()] + 1, otherwise = 0;
  for (Operand operand : function_.operands(id)) {
    if (!operand.reads_reg()) continue;
    InstId source = uses_.definition(operand.reg());
    if (!source || uses_.block(source) != uses_.block(id)) continue;
    otherwise = std::max(otherwise, finish_[source.index()] + 1);
  }
  return by_guard == finish_[id.index()] && otherwise < by_guard;
}

}  // namespace psi::psi_transforms

namespace psi {

uint64_t dependence_height(const Function& function, Analyses& analyses) {
  psi_transforms::Height height(function, analyses.get<Uses>());
  uint64_t sum = 0;
  for (BlockId b : analyses.get<Dominators>().preorder()) sum += height.of(b);
  return sum;
}

uint32_t dependence_height(const Function& function, Analyses& analyses, BlockId block) {
  return psi_transforms::Height(function, analyses.get<Uses>()).of(block);
}

}  // namespace psi
