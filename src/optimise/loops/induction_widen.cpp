// Widens counters to the width that is used.
//
//     %i = phi [@b: 0], [@l: %i1]            %w = phi.i64 [@b: 0], [@l: %w1]
//     %x = sext.i32.i64 %i            ==>    ... w for x ...
//     ...                                    %w1 = add.i64 %w, 1
//     %i1 = add.i32 %i, 1                    %c = cmp.lt.i64 %w1, 100
//     %c = cmp.lt.i32 %i1, 100
//
// The wide counter equals the extended one as long as the narrow one does not wrap. Two proofs: a known trip
// count, or a loop that continues only while i < n (or i > n), with step one.
//
// The narrow variable is removed; other readers read the wide one, truncated. The program gets no longer:
// there must be at least as many extensions as new instructions, and more than truncations.
#include <array>
#include <utility>

#include "cfg/substitution.h"
#include "optimise/dead_definitions.h"
#include "optimise/loops/induction_steps.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"

namespace psi::optimise {
namespace {

class Widening {
 public:
  explicit Widening(InductionContext& context)
      : context_(context),
        function_(context.function),
        uses_(context.analyses.get<Uses>()),
        substitution_(function_) {}

  bool run() {
    for (uint32_t i = 0; i < context_.variables.all().size(); ++i) {
      const InductionVariable& v = context_.variables.variable(i);
      if (v.kind != InductionVariable::Kind::Basic || !is_int(v.type) || v.type == Type::i64) continue;
      if (v.start.is_literal() && v.step.is_literal() && find_readers(i, v)) widen(v);
    }
    if (gone_.empty()) return false;
    context_.apply();
    substitution_.apply(context_.analyses, context_.counters);
    remove_dead_definitions(function_, context_.analyses, std::move(gone_));
    context_.counters.add("induction variables widened", widened_);
    return true;
  }

 private:
  // --- Readers --------------------------------------------------------------------------------------
  // Finds extensions to one type among what reads the variable, besides itself and its exit test.
  bool find_readers(uint32_t index, const InductionVariable& v) {
    extensions_.clear();
    wide_ = Type::none;
    has_signed_ = has_unsigned_ = extends_next_ = false;
    test_ = context_.variables.exit_test(v.loop);
    if (test_ && (test_->form.variable != index || (test_->tested != v.phi && test_->tested != v.next))) {
      test_ = nullptr;
    }
    if (!test_) return false;
    reads_phi_ = find_readers(v.phi, context_.definition(v.next));
    reads_next_ = find_readers(v.next, context_.definition(v.phi));
    size_t truncations = size_t{reads_phi_} + size_t{reads_next_};
    size_t bounds = test_->bound.is_literal() ? 0 : 1;
    return extensions_.size() > truncations && extensions_.size() >= truncations + bounds;
  }

  // Does anything else read the narrow value?
  bool find_readers(Reg r, InstId other) {
    bool others = false;
    for (Use use : uses_.uses(r)) {
      if (use.inst == other || (use.inst == test_->compare && r == test_->tested)) continue;
      const Inst& inst = function_.inst(use.inst);
      bool extends = !use.is_guard() && (inst.op == Opcode::Sext || inst.op == Opcode::Zext);
      if (!extends || (wide_ != Type::none && inst.type != wide_)) {
        others = true;
        continue;
      }
      wide_ = inst.type;
      (inst.op == Opcode::Sext ? has_signed_ : has_unsigned_) = true;
      extends_next_ |= function_.inst(other).is_phi();
      extensions_.emplace_back(inst.results[0], r);
    }
    return others;
  }

  // --- Proofs ---------------------------------------------------------------------------------------
  // Do phi and, where it matters, next stay in the range of the type, as signed or as unsigned numbers?
  bool stays_in_range(const InductionVariable& v, bool is_signed) const {
    uint64_t mask = value_mask(v.type);
    int64_t least = is_signed ? -static_cast<int64_t>(mask >> 1) - 1 : 0;
    int64_t greatest = static_cast<int64_t>(is_signed ? mask >> 1 : mask);
    int64_t start =
        is_signed ? function_.literal_signed(v.start) : static_cast<int64_t>(function_.literal_bits(v.start));
    int64_t step = function_.literal_signed(v.step);
    if (step == 0) return false;
    bool tests_next = test_->tested == v.next;
    uint64_t room = step > 0 ? static_cast<uint64_t>((greatest - start) / step)
                             : static_cast<uint64_t>((start - least) / -step);
    if (test_->trip_count) {
      uint64_t steps = *test_->trip_count;
      if (tests_next || extends_next_) ++steps;
      return steps != 0 ? steps <= room : true;
    }
    Cond up = is_signed ? Cond::lt : Cond::ult, down = is_signed ? Cond::gt : Cond::ugt;
    bool towards = (step == 1 && test_->cond == up) || (step == -1 && test_->cond == down);
    // Up to the test phi may be the bound itself, and next then one more.
    return towards && (tests_next ? room >= 1 : !extends_next_);
  }

  // --- The new counter ------------------------------------------------------------------------------
  void widen(const InductionVariable& v) {
    bool in_signed = stays_in_range(v, true), in_unsigned = stays_in_range(v, false);
    bool not_negative =
        in_signed && function_.literal_signed(v.start) >= 0 && function_.literal_signed(v.step) > 0;
    bool by_sign = in_signed && (has_signed_ || not_negative);
    if (has_signed_ && !in_signed) return refuse(v);
    if (has_unsigned_ && !(by_sign ? not_negative : in_unsigned)) return refuse(v);
    bool is_unsigned_test = test_->cond == Cond::eq || test_->cond == Cond::ne || test_->cond >= Cond::ult;
    if (!by_sign && !is_unsigned_test) return refuse(v);
    // Extended with the sign, numbers keep their order also as unsigned ones.
    Opcode extend = by_sign ? Opcode::Sext : Opcode::Zext;
    Operand bound = extended(test_->bound, extend, v.loop);
    if (bound.is_none()) return;
    if (context_.remarks)
      context_.remarks->done(function_, context_.definition(v.phi), "counted in the wider type");
    int64_t step = function_.literal_signed(v.step);
    InductionContext::Counter wide =
        context_.add_counter(v, wide_, extended(v.start, extend, v.loop), function_.literal(wide_, step));
    auto counterpart = [&](Reg r) { return Operand::reg(r == v.phi ? wide.phi : wide.next); };
    for (auto [extension, from] : extensions_) {
      substitution_.set(extension, counterpart(from));
      gone_.push_back(extension);
    }
    // The narrow values for their other readers.
    auto truncate = [&](Reg narrow, Reg by) {
      substitution_.set(narrow, Operand::reg(by));
      gone_.push_back(narrow);
    };
    if (reads_phi_) {
      BlockId header = context_.analyses.get<Loops>().header(v.loop);
      truncate(v.phi, context_.insert_at_head(header, Opcode::Trunc, v.type, {Operand::reg(wide.phi)}));
    }
    if (reads_next_) {
      InstId old = context_.definition(v.next);
      truncate(v.next, context_.insert_behind(old, Opcode::Trunc, v.type, {Operand::reg(wide.next)}));
    }
    Inst& compare = function_.inst(test_->compare);
    bool is_left = std::as_const(function_).operands(test_->compare)[0] == Operand::reg(test_->tested);
    Operand tested = counterpart(test_->tested);
    compare.type = wide_;
    function_.set_operands(test_->compare, std::array{is_left ? tested : bound, is_left ? bound : tested});
    ++widened_;
  }

  // In the wider type; none if that cannot be had outside the loop.
  Operand extended(Operand operand, Opcode extend, LoopId loop) {
    if (operand.is_literal()) {
      return extend == Opcode::Sext ? function_.literal(wide_, function_.literal_signed(operand))
                                    : function_.literal(wide_, function_.literal_bits(operand));
    }
    BlockId before = context_.preheader(loop);
    return before ? Operand::reg(context_.insert_at_end(before, extend, wide_, {operand})) : Operand();
  }

  void refuse(const InductionVariable& v) {
    if (!context_.remarks) return;
    context_.remarks->refused(function_, context_.definition(v.phi),
                              "not counted in the wider type: it is not known not to wrap");
  }

  InductionContext& context_;
  Function& function_;
  const Uses& uses_;
  cfg::Substitution substitution_;
  // Of the variable at hand.
  const ExitTest* test_ = nullptr;
  Type wide_ = Type::none;
  bool has_signed_ = false;
  bool has_unsigned_ = false;
  bool extends_next_ = false;
  bool reads_phi_ = false;
  bool reads_next_ = false;
  std::vector<std::pair<Reg, Reg>> extensions_;  // the result, and phi or next

  std::vector<Reg> gone_;
  uint64_t widened_ = 0;
};

}  // namespace

bool widen_variables(InductionContext& context) { return Widening(context).run(); }

}  // namespace psi::optimise
