#include "cfg/edge_splits.h"

#include <array>

#include "psi/ir/views.h"

namespace psi::cfg {

BlockId EdgeSplits::split(BlockId from, BlockId to) {
  uint32_t& last = last_[from.index()];
  for (uint32_t at = last; at != kNone; at = splits_[at].next) {
    if (splits_[at].to == to) return splits_[at].middle;
  }
  BlockId middle = function_.add_block();
  Inst jump;
  jump.op = Opcode::Br;
  function_.append(middle, function_.add_inst(jump, std::array{Operand::block(to)}));
  for (InstId id : function_.terminators(from)) {
    for (Operand& operand : function_.operands(id)) {
      if (operand.is_block() && operand.block() == to) operand = Operand::block(middle);
    }
  }
  for (InstId id : function_.insts(to)) {
    if (!function_.inst(id).is_phi()) break;
    for (MutablePhiEntry entry : mutable_phi_entries(function_, id)) {
      if (entry.block() == from) entry.set_block(middle);
    }
  }
  splits_.push_back({to, middle, last});
  last = static_cast<uint32_t>(splits_.size() - 1);
  return middle;
}

}  // namespace psi::cfg
