// Finds induction variables, linear forms of them, and the exit tests of their loops.
//
//     @loop:
//       %i = phi [@before: 0], [@loop: %n]      basic: start 0, step 1
//       %m = mul.i32 %i, 12                     12 * i
//       %n = add.i32 %i, 1                      i + 1
//       %c = cmp.lt.i32 %n, 10                  goes on while i + 1 < 10: trip count 9
//       br %c, @loop, @after
#include <algorithm>
#include <array>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"
#include "psi/ir/evaluate.h"
#include "psi/ir/views.h"
#include "psi/optimise/induction.h"

namespace psi {

class InductionVariables::Finder {
 public:
  Finder(InductionVariables& result, const Function& function, Analyses& analyses)
      : result_(result),
        function_(function),
        cfg_(analyses.get<Cfg>()),
        dominators_(analyses.get<Dominators>()),
        loops_(analyses.get<Loops>()),
        uses_(analyses.get<Uses>()) {}

  void run() {
    result_.form_of_.resize(function_.num_regs());
    result_.tests_.resize(loops_.num_loops());
    for (uint32_t l = 0; l < loops_.num_loops(); ++l) {
      result_.first_.push_back(static_cast<uint32_t>(result_.variables_.size()));
      find_variables(LoopId(l));
    }
    result_.first_.push_back(static_cast<uint32_t>(result_.variables_.size()));
    if (result_.variables_.empty()) return;
    for (BlockId b : dominators_.preorder()) {
      if (!loops_.of(b)) continue;
      for (InstId id : function_.insts(b)) find_form(function_.inst(id));
    }
    for (uint32_t l = 0; l < loops_.num_loops(); ++l) find_test(LoopId(l));
  }

 private:
  // --- Variables ------------------------------------------------------------------------------------
  void find_variables(LoopId loop) {
    if (!loops_.is_reducible(loop) || !find_latches(loop)) return;
    for (InstId id : function_.insts(loops_.header(loop))) {
      const Inst& inst = function_.inst(id);
      if (!inst.is_phi()) break;
      if ((!is_int(inst.type) && inst.type != Type::ptr) || inst.type == Type::i1) continue;
      find_variable(loop, inst);
    }
  }

  bool find_latches(LoopId loop) {
    latches_.clear();
    cfg_.for_each_distinct_predecessor(loops_.header(loop), [&](BlockId p) {
      if (loops_.contains(loop, p) && latches_.size() <= kMaxLatches) latches_.push_back(p);
    });
    return latches_.size() <= kMaxLatches;
  }

  void find_variable(LoopId loop, const Inst& phi) {
    Operand start, next;
    for (auto [from, value] : phi_entries(function_, phi)) {
      Operand& seen = loops_.contains(loop, from) ? next : start;
      if (!seen.is_none() && seen != value) return;
      seen = value;
    }
    start = through_mov(start);
    // Each use of undef may be another value.
    if (!next.is_reg() || start.is_none() || start.is_undef()) return;
    InductionVariable variable{.type = phi.type,
                               .loop = loop,
                               .phi = phi.results[0],
                               .next = next.reg(),
                               .start = start,
                               .step = {}};
    InstId id = uses_.definition(variable.next);
    if (!id || !loops_.contains(loop, uses_.block(id))) return;
    const Inst& inst = function_.inst(id);
    if (!inst.guard && !inst.is_psi()) {
      variable.step = step_of(inst, loop, variable.phi);
    } else if (inst.is_psi()) {
      variable.step = merged_step(inst, loop, variable.phi);
      variable.kind = InductionVariable::Kind::Monotone;
    }
    if (variable.step.is_none()) return;
    if (variable.kind == InductionVariable::Kind::Basic) {
      set_form(variable.phi, {static_cast<uint32_t>(result_.variables_.size()), 1, 0});
    }
    result_.variables_.push_back(variable);
  }

  // The amount that the instruction adds to the phi; none if it is no such addition.
  Operand step_of(const Inst& inst, LoopId loop, Reg phi) {
    std::span<const Operand> operands = function_.operands(inst);
    bool adds = inst.op == Opcode::Add || inst.op == Opcode::PtrAdd;
    for (size_t i = 0; i < 2 && adds; ++i) {
      bool is_sum = operands[i] == Operand::reg(phi) && (i == 0 || inst.op == Opcode::Add);
      if (is_sum && is_invariant(operands[1 - i], loop)) return through_mov(operands[1 - i]);
    }
    if (inst.op == Opcode::Sub && operands[0] == Operand::reg(phi) && operands[1].is_literal()) {
      // The complement of a small literal is small, but for the least of all.
      int64_t negated = -static_cast<int64_t>(operands[1].small_value());
      bool fits = operands[1].kind() == Operand::Kind::Small && Operand::fits_small(negated);
      if (fits) return Operand::small(inst.type, static_cast<int32_t>(sign_extend_small(negated, inst.type)));
    }
    return {};
  }

  static int64_t sign_extend_small(int64_t value, Type type) {
    return sign_extend(static_cast<uint64_t>(value), type);
  }

  // psi(phi, p ? phi + step)
  Operand merged_step(const Inst& psi, LoopId loop, Reg phi) {
    Operand step;
    for (auto [guard, value] : psi_arguments(function_, psi)) {
      if (value == Operand::reg(phi)) continue;
      InstId id = value.is_reg() ? uses_.definition(value.reg()) : InstId();
      if (!id) return {};
      Operand found = step_of(function_.inst(id), loop, phi);
      if (found.is_none() || (!step.is_none() && step != found)) return {};
      step = found;
    }
    return step;
  }

  // The literal that a register is a copy of, if it is.
  Operand through_mov(Operand operand) const {
    InstId id = operand.is_reg() ? uses_.definition(operand.reg()) : InstId();
    if (!id || !function_.inst(id).is_copy() || function_.inst(id).guard) return operand;
    Operand source = copied(function_, id);
    return source.is_literal() ? source : operand;
  }

  bool is_invariant(Operand operand, LoopId loop) const {
    if (operand.is_literal()) return true;
    if (!operand.is_reg()) return false;
    InstId id = uses_.definition(operand.reg());
    return !id || !loops_.contains(loop, uses_.block(id));
  }

  // --- Linear forms ---------------------------------------------------------------------------------
  void set_form(Reg r, const LinearForm& form) {
    result_.forms_.push_back(form);
    result_.form_of_[r.index()] = static_cast<uint32_t>(result_.forms_.size());
  }

  void find_form(const Inst& inst) {
    std::span<const Operand> operands = function_.operands(inst);
    if (inst.is_phi() || operands.empty() || operands.size() > 2) return;
    for (size_t i = 0; i < operands.size(); ++i) {
      const LinearForm* known = operands[i].is_reg() ? result_.form(operands[i].reg()) : nullptr;
      if (!known) continue;
      LinearForm form = *known;
      Operand other = operands.size() == 2 ? operands[1 - i] : Operand();
      if (!(operands.size() == 2 && !other.is_literal()) && compute(inst, form, other, i == 0)) {
        set_form(inst.results[0], form);
      }
      return;
    }
  }

  // Applies the instruction to a form and a literal.
  bool compute(const Inst& inst, LinearForm& form, Operand literal, bool is_left) const {
    uint64_t mask = function_.value_mask(inst.type);
    uint64_t bits = literal.is_none() ? 0 : function_.literal_bits(literal);
    switch (inst.op) {
      case Opcode::Mov:
        return true;
      case Opcode::Add:
        form.offset = (form.offset + bits) & mask;
        return true;
      case Opcode::PtrAdd:
        form.offset = (form.offset + bits) & function_.value_mask(Type::ptr);
        return is_left;
      case Opcode::Sub:
        form.scale = is_left ? form.scale : (0 - form.scale) & mask;
        form.offset = (is_left ? form.offset - bits : bits - form.offset) & mask;
        return true;
      case Opcode::Neg:
        form.scale = (0 - form.scale) & mask;
        form.offset = (0 - form.offset) & mask;
        return true;
      case Opcode::Shl:
        if (!is_left || bits >= bit_width(inst.type)) return false;
        form.scale = (form.scale << bits) & mask;
        form.offset = (form.offset << bits) & mask;
        return true;
      case Opcode::Mul:
        form.scale = (form.scale * bits) & mask;
        form.offset = (form.offset * bits) & mask;
        return true;
      default:
        return false;
    }
  }

  // --- Exit tests -----------------------------------------------------------------------------------
  void find_test(LoopId loop) {
    if (result_.of(loop).empty() || !find_latches(loop)) return;
    std::optional<ExitTest>& found = result_.tests_[loop.index()];
    for (BlockId b : loops_.blocks(loop)) {
      // Blocks of inner loops come last.
      if (loops_.of(b) != loop) break;
      if (found && found->trip_count) break;
      if (!std::ranges::all_of(latches_, [&](BlockId latch) { return dominators_.dominates(b, latch); })) {
        continue;
      }
      ExitTest test;
      if (find_test(loop, b, test) && (!found || test.trip_count)) found = test;
    }
  }

  bool find_test(LoopId loop, BlockId b, ExitTest& test) {
    std::span<const InstId> terminators = function_.terminators(b);
    std::span<const Operand> branch = function_.operands(terminators[0]);
    if (terminators.size() != 1 || branch.size() != 3 || !branch[0].is_reg()) return false;
    if (function_.inst(terminators[0]).op != Opcode::Br) return false;
    bool stays_if_true = loops_.contains(loop, branch[1].block());
    if (stays_if_true == loops_.contains(loop, branch[2].block())) return false;
    test.block = b;
    test.exit = branch[stays_if_true ? 2 : 1].block();
    test.compare = uses_.definition(branch[0].reg());
    if (!test.compare) return false;
    const Inst& compare = function_.inst(test.compare);
    if (compare.op != Opcode::Cmp || is_float(compare.type)) return false;
    std::span<const Operand> operands = function_.operands(compare);
    for (size_t i = 0; i < 2; ++i) {
      const LinearForm* form = operands[i].is_reg() ? result_.form(operands[i].reg()) : nullptr;
      if (!form || result_.variables_[form->variable].loop != loop) continue;
      if (!is_invariant(operands[1 - i], loop)) continue;
      test.tested = operands[i].reg();
      test.form = *form;
      test.cond = i == 0 ? compare.cond() : swap_operands(compare.cond());
      if (!stays_if_true) test.cond = negate(test.cond);
      test.bound = through_mov(operands[1 - i]);
      count_trips(test);
      return true;
    }
    return false;
  }

  void count_trips(ExitTest& test) const {
    const InductionVariable& variable = result_.variables_[test.form.variable];
    if (!test.bound.is_literal() || variable.type == Type::ptr) return;
    std::optional<uint64_t> start = result_.value_after(test.form, 0);
    if (!start) return;
    uint64_t step = function_.literal_bits(variable.step) * test.form.scale;
    test.trip_count =
        first_failure(variable.type, test.cond, *start, step, function_.literal_bits(test.bound));
  }

  InductionVariables& result_;
  const Function& function_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Loops& loops_;
  const Uses& uses_;
  std::vector<BlockId> latches_;
};

InductionVariables::InductionVariables(const Function& function, Analyses& analyses) : function_(function) {
  Finder(*this, function, analyses).run();
}

std::optional<uint64_t> InductionVariables::value_after(const LinearForm& form, uint64_t iterations) const {
  const InductionVariable& variable = variables_[form.variable];
  if (!variable.start.is_literal() || !variable.step.is_literal()) return std::nullopt;
  uint64_t phi = function_.literal_bits(variable.start) + iterations * function_.literal_bits(variable.step);
  return (form.scale * phi + form.offset) & function_.value_mask(variable.type);
}

}  // namespace psi
