#include "transform/edge_splits.h"

#include <array>

namespace psi::transform {

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
    std::span<Operand> pairs = function_.operands(id);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      if (pairs[i].block() == from) pairs[i] = Operand::block(middle);
    }
  }
  splits_.push_back({to, middle, last});
  last = static_cast<uint32_t>(splits_.size() - 1);
  return middle;
}

}  // namespace psi::transform
