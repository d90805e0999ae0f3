#include "predication/if_convert/legality.h"

#include <fmt/format.h>

#include <algorithm>

#include "predication/if_convert/region_graph.h"
#include "psi/ir/views.h"
#include "psi/psi_transforms/speculate.h"

namespace psi::predication {
namespace {

// A switch of more cases stays: each would be a comparison, and psis would become unboundedly long.
constexpr uint32_t kMaxCases = 1024;

// Programs may enable traps for division by zero and conversions that do not fit; speculation would trap even
// in programs that check first.
bool may_raise_exceptions(Opcode op) {
  return op == Opcode::Fdiv || op == Opcode::Frem || op == Opcode::Sqrt || op == Opcode::Fptosi ||
         op == Opcode::Fptoui;
}

}  // namespace

Choice Legality::choice(InstId id) const {
  const Inst& inst = function_.inst(id);
  if (inst.is_phi() || inst.is_psi()) return Choice::Merge;
  // A guard cannot undo an allocation on the stack.
  if (inst.op == Opcode::Slot) return Choice::Refuse;
  bool redirects = target_.redirects(inst.op);
  if (target_.can_guard(inst) && !redirects) return Choice::Guard;
  if (inst.has_flag(Inst::kVolatile)) return Choice::Refuse;
  // A guarded instruction must not be speculated either.
  if (inst.guard) return redirects ? Choice::Guard : Choice::Refuse;
  bool address_is_defined = false;
  if (inst.op == Opcode::Load) {
    Operand address = load_address(function_, inst);
    address_is_defined = !address.is_reg() || defined_.at(address.reg(), {function_.entry(), 0});
  }
  if (may_raise_exceptions(inst.op)) return Choice::Refuse;
  if (can_be_speculated(function_, inst, address_is_defined)) return Choice::Speculate;
  return redirects ? Choice::Guard : Choice::Refuse;
}

bool Legality::ends_well(BlockId b) const {
  std::span<const InstId> terminators = function_.terminators(b);
  if (terminators.size() != 1) return false;
  const Inst& last = function_.inst(terminators[0]);
  bool is_wide = last.op == Opcode::Switch && as_switch(function_, last).cases.size() > kMaxCases;
  return !last.guard && !is_wide;
}

// Its instructions follow directly behind the branch that leads to it. What follows them would be undefined
// behaviour, so the branch's other sides need no guard.
InstId Legality::obstacle(BlockId b) const {
  if (!ends_well(b)) return function_.terminators(b).front();
  if (ends_in_unreachable(function_, b)) {
    if (unreachable_ends_ == UnreachableEnds::Stay) return function_.terminators(b).front();
    std::span<const BlockId> from = cfg_.predecessors(b);
    auto goes_on = [&](BlockId side) { return !ends_in_unreachable(function_, side); };
    bool is_side = from.size() == 1 && std::ranges::any_of(cfg_.successors(from[0]), goes_on);
    if (!is_side) return function_.terminators(b).front();
  }
  for (InstId id : function_.insts(b)) {
    if (function_.inst(id).is_terminator()) break;
    if (choice(id) == Choice::Refuse) return id;
  }
  return InstId();
}

std::string Legality::reason(InstId id) const {
  const Inst& inst = function_.inst(id);
  if (inst.is_terminator()) {
    if (inst.op == Opcode::Unreachable && !inst.guard) {
      return unreachable_ends_ == UnreachableEnds::Stay
                 ? "a block ends in unreachable, and guards may know of its branch"
                 : "a block ends in unreachable, and is no side of one branch that goes on";
    }
    if (inst.op == Opcode::Switch && !inst.guard)
      return fmt::format("a switch of more than {} cases", kMaxCases);
    return "a block ends in guarded branches";
  }
  if (inst.op == Opcode::Slot) return "a slot cannot be guarded";
  if (inst.guard)
    return fmt::format("{} has a guard, and {} cannot guard it", info(inst.op).name, target_.name);
  return fmt::format("{} may not be executed always, and {} cannot guard it", info(inst.op).name,
                     target_.name);
}

}  // namespace psi::predication
