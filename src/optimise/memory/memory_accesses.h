// The instructions that read or write memory, block by block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/ir/function.h"
#include "psi/ir/module.h"
#include "psi/ir/views.h"

namespace psi::optimise {

// Attributes of the called function; none for an indirect call.
inline FunctionAttributes promises(const Module& module, const Function& function, InstId call) {
  Operand callee = as_call(function, call).callee;
  if (!callee.is_symbol() || module.kind(callee.symbol()) != SymbolKind::Function) return {};
  return module.function(callee.symbol()).attributes;
}

class MemoryAccesses {
 public:
  // Calls of readnone functions and slots are none. Linear.
  MemoryAccesses(const Module& module, const Function& function)
      : start_(function.num_blocks()), end_(function.num_blocks()), index_(function.num_insts()) {
    for (BlockId b : function.layout()) {
      start_[b.index()] = static_cast<uint32_t>(list_.size());
      for (InstId id : function.insts(b)) {
        const Inst& inst = function.inst(id);
        Effect effect = inst.effect();
        index_[id.index()] = static_cast<uint32_t>(list_.size()) - start_[b.index()];
        if ((effect != Effect::Read && effect != Effect::Write) || inst.op == Opcode::Slot) continue;
        if (inst.op == Opcode::Call && promises(module, function, id).readnone) continue;
        list_.push_back(id);
      }
      end_[b.index()] = static_cast<uint32_t>(list_.size());
    }
  }

  std::span<const InstId> of(BlockId b) const {
    return std::span(list_).subspan(start_[b.index()], end_[b.index()] - start_[b.index()]);
  }
  // Those in the block before an instruction of it.
  std::span<const InstId> before(InstId id, BlockId b) const { return of(b).first(index_[id.index()]); }

 private:
  std::vector<InstId> list_;
  std::vector<uint32_t> start_;  // by BlockId
  std::vector<uint32_t> end_;    // by BlockId
  std::vector<uint32_t> index_;  // by InstId: how many come before it in its block
};

}  // namespace psi::optimise
