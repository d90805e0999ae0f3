#include "predication/reverse_if_convert/lower_cmpp.h"

#include <array>
#include <initializer_list>
#include <span>
#include <utility>

#include "psi/ir/views.h"

namespace psi::predication {
namespace {

class CmppLowering {
 public:
  CmppLowering(Function& function, InstId id, std::vector<InstId>& out)
      : function_(function), id_(id), inst_(function.inst(id)), out_(out) {
    CmppView cmpp = as_cmpp(function, id);
    a_ = cmpp.left;
    b_ = cmpp.right;
    input_ = cmpp.input;
  }

  void run() {
    keep_guard();
    if (has_input()) {
      read_input();
      compare(function_.add_reg(Type::i1), false);
      write(0);
    } else if (is_overwritten(inst_.action(0))) {
      compare(inst_.results[0], is_complement(inst_.action(0)));
    } else {
      compare(function_.add_reg(Type::i1), false);
      write(0);
    }
    if (inst_.results[1]) write(1);
  }

 private:
  bool has_input() const { return input_ != Operand::always(); }
  // Without an input, does the target just receive the result?
  static bool is_overwritten(Action action) { return !is_parallel(action_class(action)); }

  // The first target may be the guard or the input of the second.
  void keep_guard() {
    if (!inst_.guard || !inst_.results[1] || inst_.guard.reg() != inst_.results[0]) return;
    bool negated = inst_.guard.is_negated();
    Operand predicate = Operand::reg(inst_.guard.reg());
    inst_.guard = {};
    inst_.guard = Guard(compute(Opcode::Mov, {predicate}).reg(), negated);
  }
  void read_input() {
    if (input_.is_negated()) {
      input_ = compute(Opcode::Not, {Operand::reg(input_.reg())});
    } else if (input_.is_reg() && inst_.results[1] && input_.reg() == inst_.results[0]) {
      input_ = compute(Opcode::Mov, {input_});
    }
  }

  void compare(Reg result, bool negated) {
    Inst cmp;
    cmp.op = Opcode::Cmp;
    cmp.type = inst_.type;
    cmp.set_cond(negated ? negate(inst_.cond()) : inst_.cond());
    add(cmp, result, {a_, b_});
    compared_[negated] = Operand::reg(result);
  }

  void write(int i) {
    Reg target = inst_.results[i];
    Operand old = Operand::reg(target);
    bool negated = is_complement(inst_.action(i));
    switch (action_class(inst_.action(i))) {
      case ActionClass::Unconditional:
        if (has_input()) return compute(target, Opcode::And, {input_, compared(negated)});
        return overwrite(target, negated);
      case ActionClass::ParallelOr:
        return compute(target, Opcode::Or, {old, with_input(compared(negated))});
      case ActionClass::ParallelAnd:
        if (!has_input()) return compute(target, Opcode::And, {old, compared(negated)});
        return compute(target, Opcode::And, {old, compute(Opcode::Not, {with_input(compared(!negated))})});
      default:
        if (has_input()) return compute(target, Opcode::Select, {input_, compared(negated), old});
        return overwrite(target, negated);
    }
  }
  void overwrite(Reg target, bool negated) {
    if (!compared_[negated].is_none()) return compute(target, Opcode::Mov, {compared_[negated]});
    compute(target, Opcode::Not, {compared_[!negated]});
  }

  Operand compared(bool negated) {
    if (compared_[negated].is_none()) compared_[negated] = compute(Opcode::Not, {compared_[!negated]});
    return compared_[negated];
  }
  Operand with_input(Operand value) { return has_input() ? compute(Opcode::And, {input_, value}) : value; }

  Operand compute(Opcode op, std::initializer_list<Operand> operands) {
    Reg result = function_.add_reg(Type::i1);
    compute(result, op, operands);
    return Operand::reg(result);
  }
  void compute(Reg result, Opcode op, std::initializer_list<Operand> operands) {
    Inst inst;
    inst.op = op;
    inst.type = Type::i1;
    add(inst, result, operands);
  }
  void add(Inst inst, Reg result, std::initializer_list<Operand> operands) {
    inst.guard = inst_.guard;
    inst.results[0] = result;
    InstId id = function_.add_inst(inst, std::span(operands.begin(), operands.size()));
    function_.copy_place(id_, id);
    out_.push_back(id);
  }

  Function& function_;
  InstId id_;
  Inst inst_;  // a copy: the function's moves when instructions are added
  std::vector<InstId>& out_;
  Operand a_, b_, input_;
  std::array<Operand, 2> compared_;  // the result and its complement; none: not computed yet
};

}  // namespace

void lower_cmpp(Function& function, InstId cmpp, std::vector<InstId>& out) {
  CmppLowering(function, cmpp, out).run();
}

}  // namespace psi::predication
