#include "predication/if_convert/sinking.h"

#include <algorithm>
#include <utility>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::predication {
namespace {

// What is read more often stays.
constexpr size_t kMaxReads = 16;

bool reads(const Function& function, const Use& use, Reg r) {
  const Inst& inst = function.inst(use.inst);
  if (use.is_guard()) return inst.guard && inst.guard.reg() == r;
  std::span<const Operand> operands = function.operands(inst);
  return std::ranges::any_of(operands, [&](Operand o) { return o.reads_reg() && o.reg() == r; });
}

}  // namespace

bool can_sink(const Inst& inst) {
  return !inst.guard && !inst.is_phi() && !inst.is_psi() && inst.op != Opcode::Slot &&
         (inst.is_pure() || inst.may_trap());
}

// Selects may have become phis since the uses were found, so a phi's entries are looked at as they are.
bool Sinking::is_read_only_in(BlockId b, InstId id) const {
  const Function& function = function_;
  for (Reg r : function.inst(id).results) {
    if (!r) continue;
    if (uses_.uses(r).size() > kMaxReads) return false;
    for (Use use : uses_.uses(r)) {
      if (!reads(function, use, r)) continue;
      if (!function.inst(use.inst).is_phi()) {
        if (block(use.inst) != b) return false;
        continue;
      }
      for (auto [from, value] : phi_entries(function, use.inst)) {
        if (value == Operand::reg(r) && from != b) return false;
      }
    }
  }
  return true;
}

void Sinking::sink(std::vector<Operand> values, BlockId from, BlockId to) {
  std::vector<InstId> moved;  // the last one first
  while (!values.empty()) {
    Operand value = values.back();
    values.pop_back();
    InstId id = value.reads_reg() ? uses_.definition(value.reg()) : InstId();
    if (!id || block(id) != from || !can_sink(function_.inst(id)) || !is_read_only_in(to, id)) continue;
    moved_to_[id.index()] = to;
    moved.push_back(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    values.insert(values.end(), operands.begin(), operands.end());
  }
  if (moved.empty()) return;
  num_moved_ += moved.size();
  std::vector<InstId> insts(function_.insts(from).begin(), function_.insts(from).end());
  std::erase_if(insts, [&](InstId id) { return moved_to_[id.index()] == to; });
  function_.set_insts(from, insts);
  insts.assign(moved.rbegin(), moved.rend());
  std::span<const InstId> rest = function_.insts(to);
  size_t phis = 0;
  while (function_.inst(rest[phis]).is_phi()) ++phis;
  insts.insert(insts.begin(), rest.begin(), rest.begin() + static_cast<ptrdiff_t>(phis));
  insts.insert(insts.end(), rest.begin() + static_cast<ptrdiff_t>(phis), rest.end());
  function_.set_insts(to, insts);
}

}  // namespace psi::predication
