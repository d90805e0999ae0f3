#include "psi/defined.h"

#include <algorithm>

namespace psi {
namespace {

// Of the checks of a register, so many are looked at.
constexpr size_t kMaxChecks = 16;

// Calls visit(Operand) for what must not be undef when the instruction is reached.
template <class Visit>
void for_each_check(const Function& function, const Inst& inst, Visit visit) {
  std::span<const Operand> operands = function.operands(inst);
  if (inst.is_psi()) visit(operands[operands.size() - 2]);
  if (inst.guard) return visit(inst.guard.as_operand());
  switch (inst.op) {
    case Opcode::Load:
      return visit(operands[0]);
    case Opcode::Store:  // what is stored may be undef in programs that come from C
      return visit(operands[1]);
    case Opcode::Sdiv:
    case Opcode::Udiv:
    case Opcode::Srem:
    case Opcode::Urem:
      return visit(operands[1]);
    case Opcode::Br:
    case Opcode::Switch:
      return visit(operands[0]);
    default:
      return;
  }
}

// Does the instruction give a value wherever its operands have one?
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
      return info(inst.op).effect == Effect::Pure;
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
      // The next terminator is reached where this one does nothing.
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

// Takes all for solid that could be, but for what reads something that is not.
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

  // So far a register is solid if it is defined where its guard is true.
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
    std::span<const Operand> operands = function_.operands(inst);
    if (inst.op == Opcode::Freeze) return true;
    if (inst.is_phi()) {
      for (size_t i = 0; i < operands.size(); i += 2) {
        BlockId from = operands[i].block();
        if (!is_solid(operands[i + 1], Guard(), {from, block_calls_[from.index()]})) return false;
      }
      return true;
    }
    Place place = {block, calls_[id.index()]};
    if (inst.is_psi()) {
      if (!covers_everything(operands)) return false;
      for (size_t i = 0; i < operands.size(); i += 2) {
        if (!is_solid(operands[i + 1], Guard(operands[i]), place)) return false;
      }
      return true;
    }
    return std::ranges::all_of(operands, [&](Operand o) { return is_solid(o, inst.guard, place); });
  }

  static bool covers_everything(std::span<const Operand> pairs) {
    if (!pairs[0].reads_reg()) return true;
    return pairs.size() > 2 && pairs[2].reads_reg() && pairs[2].reg() == pairs[0].reg() &&
           pairs[2].is_negated() != pairs[0].is_negated();
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
    : dominators_(analyses.dominators()), is_solid_(function.num_regs()) {
  find_checks(function);
  Solidity(*this, function, analyses.uses()).run();
}

}  // namespace psi
