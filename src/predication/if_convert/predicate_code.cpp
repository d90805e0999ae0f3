#include "predication/if_convert/predicate_code.h"

#include <algorithm>

#include "psi/ir/views.h"

namespace psi::predication {

Operand PredicateCode::combine(Opcode op, Operand a, Operand b) {
  a = positive(a);
  b = positive(b);
  builder_.guard(Guard());
  return Operand::reg(builder_.op(op, Type::i1, {a, b}));
}

Operand PredicateCode::any(std::span<const Operand> predicates) {
  level_.assign(predicates.begin(), predicates.end());
  // Merges neighbours repeatedly.
  for (size_t count = level_.size(); count > 1; count = (count + 1) / 2) {
    for (size_t to = 0; 2 * to < count; ++to) {
      Operand left = level_[2 * to];
      level_[to] = 2 * to + 1 < count ? either(left, level_[2 * to + 1]) : left;
    }
  }
  return positive(level_.front());
}

Operand PredicateCode::positive(Operand predicate) {
  if (!predicate.is_negated()) return predicate;
  Reg& complement = complements_[predicate.reg()];
  if (!complement) {
    builder_.guard(Guard());
    complement = builder_.op(Opcode::Not, Type::i1, {Operand::reg(predicate.reg())});
  }
  return Operand::reg(complement);
}

Operand PredicateCode::constant(Operand literal) {
  builder_.guard(Guard());
  return Operand::reg(builder_.op(Opcode::Mov, Type::i1, {literal}));
}

Reg PredicateCode::case_test(Type type, Operand value, Operand literal) {
  Reg& test = case_tests_[uint64_t{value.raw()} << 32 | literal.raw()];
  if (!test) {
    builder_.guard(Guard());
    test = builder_.cmp(Cond::eq, type, value, literal);
  }
  return test;
}

// --- What nothing reads -----------------------------------------------------------------------------------

namespace {

class UnreadPredicates {
 public:
  explicit UnreadPredicates(Function& function) : function_(function), reads_(function.num_regs()) {
    for (BlockId b : function.layout()) {
      for (InstId id : function.insts(b)) count(id, 1);
    }
  }

  // Readers follow definitions.
  uint64_t remove_from(BlockId b) {
    std::span<const InstId> insts = function_.insts(b);
    kept_.clear();
    for (size_t i = insts.size(); i-- > 0;) {
      if (is_unread(function_.inst(insts[i]))) {
        count(insts[i], UINT32_MAX);  // one less
      } else {
        narrow(function_.inst(insts[i]));
        kept_.push_back(insts[i]);
      }
    }
    uint64_t removed = insts.size() - kept_.size();
    if (removed == 0) return 0;
    std::ranges::reverse(kept_);
    function_.set_insts(b, kept_);
    return removed;
  }

 private:
  void count(InstId id, uint32_t step) {
    const Inst& inst = function_.inst(id);
    if (inst.guard) reads_[inst.guard.reg().index()] += step;
    for (Operand operand : function_.operands(inst)) {
      if (operand.reads_reg()) reads_[operand.reg().index()] += step;
    }
  }
  bool is_read(Reg r) const { return r && reads_[r.index()] != 0; }
  bool is_unread(const Inst& inst) const {
    bool may_go =
        inst.num_results() > 0 && inst.result_type() == Type::i1 && !inst.is_phi() && inst.is_pure();
    return may_go && !is_read(inst.results[0]) && !is_read(inst.results[1]);
  }
  void narrow(Inst& inst) const {
    bool is_decision = inst.op == Opcode::Cmpp && inst.results[1] && inst.action(0) == Action::un &&
                       inst.action(1) == Action::uc;
    if (!is_decision || (is_read(inst.results[0]) && is_read(inst.results[1]))) return;
    bool first = is_read(inst.results[0]);
    inst.results = {inst.results[first ? 0 : 1], Reg()};
    inst.set_actions(first ? Action::un : Action::uc, Action::none);
  }

  Function& function_;
  std::vector<uint32_t> reads_;  // by Reg
  std::vector<InstId> kept_;
};

}  // namespace

uint64_t remove_unread_predicates(Function& function, std::span<const BlockId> blocks) {
  UnreadPredicates unread(function);
  uint64_t removed = 0;
  for (size_t i = blocks.size(); i-- > 0;) removed += unread.remove_from(blocks[i]);
  return removed;
}

}  // namespace psi::predication
