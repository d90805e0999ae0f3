// Drops code that the intervals of integers make redundant.
//
//     @loop:  %i = phi [@entry: 0], [@body: %j]        %i in [0, 100]
//             %c = cmp.lt.i32 %i, 100
//             br %c, @body, @exit
//     @body:  %d = cmp.ult.i32 %i, 200            ==>  true
//             %m = and.i32 %i, 127                ==>  %i
//             %k = sext.i32.i64 %i                ==>  zext
//             %q = sdiv.i32 %i, 8                 ==>  udiv
//             %j = add.i32 %i, 1
//
// The intervals are those of ranges_analysis.h. Follows the idea of W. Harrison, Compiler analysis of the
// value ranges for variables, 1977, on SSA form; intervals alone, no relations between variables.
//
// Requires: SSA form. Ensures: SSA form; the same graph of blocks, but for branches that are decided.
// Near-linear: an interval changes a bounded number of times.
#include "psi/optimise/ranges.h"

#include <array>
#include <optional>
#include <vector>

#include "optimise/algebra/simplify_graph.h"
#include "optimise/ranges/ranges_analysis.h"
#include "optimise/ranges/ranges_arithmetic.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"

namespace psi {
namespace {

using namespace optimise;

class RangeSimplification {
 public:
  explicit RangeSimplification(PassContext& context)
      : context_(context), function_(context.function), ranges_(context.function, context.analyses) {}

  void run() {
    // Records change at once, blocks only at the end.
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        Reg result = function_.inst(id).results[0];
        if (!result || is_dead(id)) continue;
        if (function_.inst(id).op == Opcode::Cmpp) visit_cmpp(id);
        if (function_.inst(id).op == Opcode::Cmpp || function_.inst(id).results[1]) continue;
        if (is_int(function_.type(result)) || function_.inst(id).format() == Format::Convert) visit(id);
      }
    }
    if (graph_) graph_->finish(context_.analyses, context_.counters);
  }

 private:
  // Made when something is to be changed.
  SimplifyGraph& graph() {
    if (!graph_) graph_.emplace(function_, context_.analyses);
    return *graph_;
  }
  bool is_dead(InstId id) const { return graph_ && graph_->is_dead(id); }
  Operand value(Operand operand) { return graph_ ? graph_->value(operand) : operand; }
  InstId definition(Operand operand) {
    if (graph_) return graph_->definition(operand);
    return operand.is_reg() ? context_.analyses.get<Uses>().definition(operand.reg()) : InstId();
  }

  void visit(InstId id) {
    const Inst& inst = function_.inst(id);
    Type type = function_.type(inst.results[0]);
    if (!inst.computes() || inst.op == Opcode::Freeze) return;
    Interval range = ranges_(inst.results[0]);
    if (is_int(type) && range.is_single() && !inst.is_copy()) {
      Operand by = function_.literal(type, range.unsigned_least);
      if (inst.op == Opcode::Cmp) {
        replace(id, by, "compares decided", "the compare is always the same");
      } else {
        replace(id, by, "values found constant", "the value is always the same");
      }
      return;
    }
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (inst.format() == Format::Overflow) return visit_overflow(id);
    if (!has_rule(inst.op) || !is_int(function_.type(operands[0]))) return;
    Interval a = ranges_.at(operands[0], id);
    Interval b = operands.size() == 2 ? ranges_.at(operands[1], id) : a;
    if (a.is_empty() || b.is_empty()) return;
    visit(id, a, b);
  }

  // Where a compare is decided, a cmpp of the same values must be decided, too: its predicates may have to be
  // contained in the compare's. It becomes a cmpp of literals.
  void visit_cmpp(InstId id) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (!is_int(inst.type) || (operands[0].is_literal() && operands[1].is_literal())) return;
    Interval a = ranges_.at(operands[0], id), b = ranges_.at(operands[1], id);
    if (a.is_empty() || b.is_empty()) return;
    int holds = decide(a, inst.cond(), b);
    if (holds < 0) return;
    Inst record = inst;
    record.set_cond(holds ? Cond::eq : Cond::ne);
    std::vector<Operand> decided(operands.begin(), operands.end());
    decided[0] = decided[1] = function_.literal(inst.type, uint64_t{0});
    count(id, "compares decided", "the compare is always the same");
    graph().rewrite(id, record, decided);
  }

  static bool has_rule(Opcode op) {
    switch (op) {
      case Opcode::And:
      case Opcode::Cmp:
      case Opcode::Sdiv:
      case Opcode::Srem:
      case Opcode::Urem:
      case Opcode::Ashr:
      case Opcode::Abs:
      case Opcode::Smin:
      case Opcode::Smax:
      case Opcode::Umin:
      case Opcode::Umax:
      case Opcode::Zext:
      case Opcode::Sext:
        return true;
      default:
        return false;
    }
  }

  void visit(InstId id, const Interval& a, const Interval& b) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    bool nonnegative = a.is_nonnegative() && b.is_nonnegative();
    switch (inst.op) {
      case Opcode::And:
        // All bits that the value can have.
        if (b.is_single() && has_low_bits(b.unsigned_least, a.unsigned_greatest)) {
          replace(id, operands[0], "masks dropped", "the mask keeps all bits that there are");
        }
        break;
      case Opcode::Cmp:
        if (nonnegative && inst.cond() >= Cond::lt && inst.cond() <= Cond::ge && inst.type != Type::i1 &&
            !graph().is_guarding(inst.results[0])) {
          Inst record = inst;
          record.set_cond(static_cast<Cond>(static_cast<int>(inst.cond()) + 4));
          rewrite(id, record, "compares made unsigned", "no operand is negative");
        }
        break;
      case Opcode::Sdiv:
        if (nonnegative) change(id, Opcode::Udiv, "divisions made unsigned", "no operand is negative");
        break;
      case Opcode::Srem:
        if (nonnegative) change(id, Opcode::Urem, "divisions made unsigned", "no operand is negative");
        break;
      case Opcode::Urem:
        if (a.unsigned_greatest < b.unsigned_least) {
          replace(id, operands[0], "remainders dropped", "the dividend is less than the divisor");
        }
        break;
      case Opcode::Ashr:
        if (a.is_nonnegative()) change(id, Opcode::Lshr, "shifts made unsigned", "no operand is negative");
        break;
      case Opcode::Abs:
        if (a.is_nonnegative())
          replace(id, operands[0], "absolute values dropped", "the operand is not negative");
        break;
      case Opcode::Smin:
      case Opcode::Smax:
      case Opcode::Umin:
      case Opcode::Umax:
        visit_limit(id, a, b);
        break;
      case Opcode::Zext:
      case Opcode::Sext:
        visit_extension(id, a);
        break;
      default:
        break;
    }
  }

  // Is `mask` made of all bits up to some place, with none of `greatest` above?
  static bool has_low_bits(uint64_t mask, uint64_t greatest) {
    return (mask & (mask + 1)) == 0 && greatest <= mask;
  }

  void visit_limit(InstId id, const Interval& a, const Interval& b) {
    Opcode op = function_.inst(id).op;
    bool is_signed = op == Opcode::Smin || op == Opcode::Smax,
         takes_less = op == Opcode::Smin || op == Opcode::Umin;
    int at_most = decide(a, is_signed ? Cond::le : Cond::ule, b);
    int at_least = decide(a, is_signed ? Cond::ge : Cond::uge, b);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if ((takes_less ? at_most : at_least) == 1)
      replace(id, operands[0], "limits dropped", "the limit is never reached");
    if ((takes_less ? at_least : at_most) == 1)
      replace(id, operands[1], "limits dropped", "the limit always applies");
  }

  void visit_extension(InstId id, const Interval& a) {
    const Inst& inst = function_.inst(id);
    Operand operand = value(std::as_const(function_).operands(id)[0]);
    // From a truncation that lost nothing.
    InstId trunc = definition(operand);
    if (trunc && !is_dead(trunc) && function_.inst(trunc).op == Opcode::Trunc) {
      Operand wide = value(std::as_const(function_).operands(trunc)[0]);
      Interval whole = wide.is_reg() ? ranges_.at(wide, id) : Interval();
      Type narrow = function_.type(operand);
      bool lost_nothing = !whole.is_empty() &&
                          (inst.op == Opcode::Zext ? whole.unsigned_greatest <= value_mask(narrow)
                                                   : whole.least >= Interval::full(narrow).least &&
                                                         whole.greatest <= Interval::full(narrow).greatest);
      if (lost_nothing) return resize(id, wide);
    }
    if (inst.op == Opcode::Sext && a.is_nonnegative()) {
      change(id, Opcode::Zext, "extensions made unsigned", "the operand is not negative");
    }
  }

  // The extension of a truncation of `wide` is that value itself, in another type.
  void resize(InstId id, Operand wide) {
    const Inst& inst = function_.inst(id);
    Type from = function_.type(wide), to = inst.type;
    if (from == to) return replace(id, wide, "extensions dropped", "the truncation before lost nothing");
    Inst record = inst;
    if (bit_width(from) > bit_width(to)) record.op = Opcode::Trunc;
    record.set_from(from);
    count(id, "extensions dropped", "the truncation before lost nothing");
    graph().rewrite(id, record, std::array{wide});
  }

  void visit_overflow(InstId id) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    Interval a = ranges_.at(operands[0], id), b = ranges_.at(operands[1], id);
    if (a.is_empty() || b.is_empty() || may_overflow(inst.op, inst.type, a, b)) return;
    replace(id, function_.literal(Type::i1, uint64_t{0}), "overflows ruled out", "the result always fits");
  }

  void count(InstId id, std::string_view counter, const char* why) {
    context_.counters.add(counter, 1);
    if (context_.remarks) context_.remarks->done(function_, id, why);
  }
  void replace(InstId id, Operand by, std::string_view counter, const char* why) {
    if (is_dead(id)) return;
    Reg result = function_.inst(id).results[0];
    if (graph().replace(result, by)) {
      count(id, counter, why);
    } else if (context_.remarks) {
      context_.remarks->refused(function_, id,
                                "a psi needs the register, which is defined in more executions");
    }
  }
  void rewrite(InstId id, const Inst& record, std::string_view counter, const char* why) {
    count(id, counter, why);
    std::array<Operand, 2> operands;
    std::span<const Operand> old = std::as_const(function_).operands(id);
    std::copy(old.begin(), old.end(), operands.begin());
    graph().rewrite(id, record, std::span(operands).first(old.size()));
  }
  void change(InstId id, Opcode op, std::string_view counter, const char* why) {
    Inst record = function_.inst(id);
    record.op = op;
    rewrite(id, record, counter, why);
  }

  PassContext& context_;
  Function& function_;
  ValueRanges ranges_;
  std::optional<SimplifyGraph> graph_;
};

}  // namespace

void ranges(PassContext& context) {
  Function& function = context.function;
  if (context.analyses.get<Order>().num_reachable() < function.layout().size()) {
    dce_unreachable(function, context.analyses, context.counters);
    context.analyses.drop(Keeps::Nothing);
  }
  RangeSimplification(context).run();
}

}  // namespace psi
