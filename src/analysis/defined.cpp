#include "psi/analysis/defined.h"

#include <algorithm>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi {
namespace {

// The most checks of a register that are considered.
constexpr size_t kMaxChecks = 16;

// Calls visit(Operand) for operands that must not be undef when the instruction is reached.
template <class Visit>
void for_each_check(const Function& function, const Inst& inst, Visit visit) {
  std::span<const Operand> operands = function.operands(inst);
  if (inst.is_psi()) visit(psi_arguments(operands).back().guard);
  if (inst.guard) return visit(inst.guard.as_operand());
  switch (inst.op) {
    case Opcode::Load:
      return visit(load_address(function, inst));
    case Opcode::Store:  // the stored value may be undef in compiled C programs
      return visit(as_store(operands).address);
    case Opcode::Sdiv:
    case Opcode::Udiv:
    case Opcode::Srem:
    case Opcode::Urem:
      return visit(operands[1]);
    case Opcode::Br:
    case Opcode::Switch:
      return visit(decided_by(function, inst));
    default:
      return;
  }
}

// Is the result defined wherever the operands are?
bool is_total(const Function& function, const Inst& inst) {
  switch (inst.op) {
    case Opcode::Fptosi:
    case Opcode::Fptoui:
      return false;
    case Opcode::Shl:
    case Opcode::Lshr:
    case Opcode::Ashr: {
      Operand amount = function.operands(inst)[1];
      return amount.is_literal() && function.literal_bits(amount) < bit_width(inst.type);
    }
    default:
      return inst.is_pure();
  }
}

}  // namespace

void Defined::find_checks(const Function& function) {
  std::vector<std::pair<Reg, Place>> found;
  start_.resize(function.num_regs() + 1);
  for (BlockId b : dominators_.preorder()) {
    Place place = {b, 0};
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      for_each_check(function, inst, [&](Operand operand) {
        if (!operand.reads_reg()) return;
        found.emplace_back(operand.reg(), place);
        ++start_[operand.reg().index() + 1];
      });
      if (inst.op == Opcode::Call) ++place.calls;
      // The next terminator is reached where this one's guard is false.
      if (inst.is_terminator()) break;
    }
  }
  for (size_t r = 0; r + 1 < start_.size(); ++r) start_[r + 1] += start_[r];
  checks_.resize(found.size());
  std::vector<uint32_t> next = start_;
  for (auto [reg, place] : found) checks_[next[reg.index()]++] = place;
}

bool Defined::is_checked(Reg r, Place place) const {
  size_t first = start_[r.index()], count = std::min(start_[r.index() + 1] - first, kMaxChecks);
  for (const Place& at : std::span(checks_).subspan(first, count)) {
    if (at.block == place.block ? at.calls <= place.calls : dominators_.dominates(at.block, place.block)) {
      return true;
    }
  }
  return false;
}

// Optimistic: registers are solid until an operand is found that is not.
class Defined::Solidity {
 public:
  Solidity(Defined& defined, const Function& function, const Uses& uses)
      : defined_(defined), function_(function), uses_(uses), is_solid_(defined.is_solid_) {}

  void run() {
    count_calls();
    for (BlockId b : defined_.dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        for (Reg result : inst.results) {
          if (result) is_solid_[result.index()] = is_total(function_, inst);
        }
      }
    }
    for (BlockId b : defined_.dominators_.preorder()) {
      for (InstId id : function_.insts(b)) check(id);
    }
    while (!pending_.empty()) {
      Reg r = pending_.back();
      pending_.pop_back();
      for (Use use : uses_.uses(r)) {
        if (!use.is_guard()) check(use.inst);
      }
    }
    for (uint32_t r = 0; r < is_solid_.size(); ++r) {
      InstId definition = uses_.definition(Reg(r));
      if (definition && function_.inst(definition).guard) is_solid_[r] = false;
    }
  }

 private:
  void count_calls() {
    calls_.resize(function_.num_insts());
    block_calls_.resize(function_.num_blocks());
    for (BlockId b : defined_.dominators_.preorder()) {
      uint32_t& calls = block_calls_[b.index()];
      for (InstId id : function_.insts(b)) {
        calls_[id.index()] = calls;
        calls += function_.inst(id).op == Opcode::Call;
      }
    }
  }

  // At first a register is solid if it is defined where its guard is true.
  void check(InstId id) {
    const Inst& inst = function_.inst(id);
    if (!inst.results[0] || !is_solid_[inst.results[0].index()] || stays_solid(id, inst)) return;
    for (Reg result : inst.results) {
      if (!result) continue;
      is_solid_[result.index()] = false;
      pending_.push_back(result);
    }
  }

  bool stays_solid(InstId id, const Inst& inst) const {
    BlockId block = uses_.block(id);
    if (!block) return true;
    if (inst.op == Opcode::Freeze) return true;
    if (inst.is_phi()) {
      for (auto [from, value] : phi_entries(function_, inst)) {
        if (!is_solid(value, Guard(), {from, block_calls_[from.index()]})) return false;
      }
      return true;
    }
    Place place = {block, calls_[id.index()]};
    if (inst.is_psi()) {
      PsiArguments arguments = psi_arguments(function_, inst);
      if (!always_chooses(arguments)) return false;
      for (auto [guard, value] : arguments) {
        if (!is_solid(value, Guard(guard), place)) return false;
      }
      return true;
    }
    return std::ranges::all_of(function_.operands(inst),
                               [&](Operand o) { return is_solid(o, inst.guard, place); });
  }

  // Is the operand defined where the guard is true?
  bool is_solid(Operand operand, Guard guard, Place place) const {
    if (!operand.reads_reg()) return !operand.is_undef();
    Reg r = operand.reg();
    if (defined_.is_checked(r, place)) return true;
    if (!is_solid_[r.index()]) return false;
    Guard defined = function_.inst(uses_.definition(r)).guard;
    return defined.is_always() || defined == guard;
  }

  Defined& defined_;
  const Function& function_;
  const Uses& uses_;
  std::vector<uint8_t>& is_solid_;
  std::vector<uint32_t> calls_;        // by InstId: how many come before it in its block
  std::vector<uint32_t> block_calls_;  // by BlockId: all
  std::vector<Reg> pending_;
};

Defined::Defined(const Function& function, Analyses& analyses)
    : dominators_(analyses.get<Dominators>()), is_solid_(function.num_regs()) {
  find_checks(function);
  Solidity(*this, function, analyses.get<Uses>()).run();
}

}  // namespace psi
