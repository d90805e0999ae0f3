#include "destruct/copies.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace psi::destruct {

InstId Copies::make(Operand source, Type type, Guard guard, Reg result) {
  Inst inst;
  inst.op = Opcode::Mov;
  inst.type = type;
  inst.guard = guard;
  inst.results[0] = result ? result : function_.add_reg(type);
  return function_.add_inst(inst, std::array{source});
}

void Copies::insert(BlockId b, uint32_t position, InstId copy, Together together, uint32_t rank) {
  insertions_.push_back({b, position, rank, static_cast<uint32_t>(insertions_.size()), copy});
  if (together != Together::No) parallel_.add(copy, together);
}

void Copies::apply() {
  std::sort(insertions_.begin(), insertions_.end(), [](const Insertion& x, const Insertion& y) {
    return std::tie(x.block, x.position, x.rank, x.sequence) <
           std::tie(y.block, y.position, y.rank, y.sequence);
  });
  for (size_t i = 0; i < insertions_.size();) {
    BlockId b = insertions_[i].block;
    std::span<const InstId> old = function_.insts(b);
    auto body_end = static_cast<uint32_t>(old.size() - function_.terminators(b).size());
    uint32_t phis = 0;
    while (phis < body_end && function_.inst(old[phis]).is_phi()) ++phis;
    list_.clear();
    uint32_t at = 0;
    for (; i < insertions_.size() && insertions_[i].block == b; ++i) {
      uint32_t position = std::clamp(insertions_[i].position, phis, body_end);
      while (at < position) list_.push_back(old[at++]);
      list_.push_back(insertions_[i].inst);
    }
    while (at < old.size()) list_.push_back(old[at++]);
    function_.set_insts(b, list_);
  }
  num_inserted_ += static_cast<uint32_t>(insertions_.size());
  insertions_.clear();
}

}  // namespace psi::destruct
