// Predicates that become dead if some of their uses are removed.
//
//     q = cmp.lt i, 3             p is spared if the guards of a and b may go; then nobody reads q either
//     p = and q, r
//     p ? a = add i, 1
//     p ? b = add i, 2
#pragma once

#include <cstdint>
#include <vector>

#include "psi/analysis/uses.h"

namespace psi::psi_transforms {

class SparePredicates {
 public:
  // `can_go(Use)`: a removable use. Linear.
  template <class CanGo>
  SparePredicates(const Function& function, const Uses& uses, CanGo can_go)
      : function_(function),
        uses_(uses),
        kept_(function.num_regs()),
        is_spared_(function.num_regs()),
        is_unread_(function.num_insts()) {
    for (uint32_t r = 0; r < function.num_regs(); ++r) {
      if (!is_computed(Reg(r))) continue;
      for (Use use : uses.uses(Reg(r))) kept_[r] += !can_go(use);
      if (kept_[r] == 0 && uses.is_used(Reg(r))) pending_.push_back(Reg(r));
    }
    while (!pending_.empty()) {
      Reg predicate = pending_.back();
      pending_.pop_back();
      spare(predicate, can_go);
    }
  }

  // It will be unread.
  bool is_spared(Reg predicate) const { return is_spared_[predicate.index()]; }
  // Its results will be unread.
  bool is_unread(InstId id) const { return is_unread_[id.index()]; }

 private:
  template <class CanGo>
  void spare(Reg predicate, CanGo can_go) {
    is_spared_[predicate.index()] = true;
    InstId id = uses_.definition(predicate);
    const Inst& inst = function_.inst(id);
    for (Reg result : inst.results) {
      if (result && uses_.is_used(result) && !is_spared_[result.index()]) return;
    }
    is_unread_[id.index()] = true;
    auto lose = [&](Operand read, Use use) {
      if (!read.reads_reg() || !is_computed(read.reg()) || can_go(use)) return;
      if (--kept_[read.reg().index()] == 0) pending_.push_back(read.reg());
    };
    if (inst.guard) lose(inst.guard.as_operand(), {id, Use::kGuard});
    std::span<const Operand> operands = function_.operands(id);
    for (uint32_t i = 0; i < operands.size(); ++i) lose(operands[i], {id, i});
  }

  // By an instruction that is removable once unread.
  bool is_computed(Reg r) const {
    if (function_.type(r) != Type::i1) return false;
    InstId id = uses_.definition(r);
    return id && !function_.inst(id).is_phi() && function_.inst(id).is_pure();
  }

  const Function& function_;
  const Uses& uses_;
  std::vector<uint32_t> kept_;  // by Reg: uses that stay
  std::vector<bool> is_spared_;
  std::vector<bool> is_unread_;  // by InstId
  std::vector<Reg> pending_;
};

}  // namespace psi::psi_transforms
