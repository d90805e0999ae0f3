// Removes unread instructions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "psi/ir/function.h"

namespace psi::psi_transforms {

class Unread {
 public:
  // `blocks`: those that can be reached, each after those that dominate it. Linear.
  Unread(Function& function, std::span<const BlockId> blocks)
      : function_(function), blocks_(blocks), reads_(function.num_regs()) {
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) {
        for_each_read(id, [&](Reg r) { ++reads_[r.index()]; });
      }
    }
  }

  bool is_read(Reg r) const { return reads_[r.index()] != 0; }

  // Removes those for which may_go(InstId) is true, and instructions that only they read; returns the number.
  template <class MayGo>
  uint64_t remove(MayGo may_go) {
    uint64_t removed = 0;
    // Readers are below definitions, phis aside.
    for (size_t i = blocks_.size(); i-- > 0;) {
      std::span<const InstId> insts = function_.insts(blocks_[i]);
      kept_.clear();
      for (size_t k = insts.size(); k-- > 0;) {
        if (is_unread(insts[k]) && may_go(insts[k])) {
          for_each_read(insts[k], [&](Reg r) { --reads_[r.index()]; });
        } else {
          kept_.push_back(insts[k]);
        }
      }
      if (kept_.size() == insts.size()) continue;
      removed += insts.size() - kept_.size();
      std::ranges::reverse(kept_);
      function_.set_insts(blocks_[i], kept_);
    }
    return removed;
  }

 private:
  template <class Visit>
  void for_each_read(InstId id, Visit visit) const {
    if (function_.inst(id).guard) visit(function_.inst(id).guard.reg());
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (operand.reads_reg()) visit(operand.reg());
    }
  }

  bool is_unread(InstId id) const {
    const Inst& inst = function_.inst(id);
    return inst.results[0] && !is_read(inst.results[0]) && !(inst.results[1] && is_read(inst.results[1]));
  }

  Function& function_;
  std::span<const BlockId> blocks_;
  std::vector<uint32_t> reads_;  // by Reg: how many
  std::vector<InstId> kept_;
};

}  // namespace psi::psi_transforms
