// Sparse conditional constant propagation.
//
//     %p = cmp.lt.i32 3, 4                  ret 8
//     %p ? %x = mov.i32 7            ==>
//     %y = psi 0, %p ? %x
//     %z = add.i32 %y, 1
//     br %p, @a, @b       @a: ret %z
//
// Wegman and Zadeck 1991, on psi-SSA form: a guarded definition is evaluated as if it had no guard, because
// it is read only where the guard is true; a psi argument whose guard is false is ignored, and one whose
// guard is true hides all to its left. Registers that are always undef become undef; a block that branches on
// one has no executable exit. Facts from the branches above a block and from an instruction's guard apply as
// well (spread_known.h).
//
// Requires: SSA form. Ensures: the same; every block is reachable. Near-linear.
#include <string>
#include <vector>

#include "cfg/replaced.h"
#include "cfg/substitution.h"
#include "cfg/terminators.h"
#include "optimise/constants/constant_solver.h"
#include "optimise/constants/spread_known.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"
#include "psi/optimise/propagate.h"

namespace psi {
namespace {

using namespace optimise;

class ConstantPropagation {
 public:
  explicit ConstantPropagation(PassContext& context)
      : context_(context), function_(context.function), analyses_(context.analyses) {}

  void run() {
    size_t blocks = function_.layout().size();
    dce_unreachable(context_);
    if (function_.layout().size() < blocks) analyses_.drop(Keeps::Nothing);
    bool spreads = context_.arguments.flag("facts");
    if (spreads) spread();
    // Propagation and facts enable each other.
    for (int iteration = 0; iteration < kMaxIterations && propagate() && spreads && spread(); ++iteration)
      continue;
  }

 private:
  static constexpr int kMaxIterations = 3;

  bool spread() {
    uint64_t known = spread_known(function_, analyses_, KnownIn::AllOperands, context_.counters);
    if (known > 0) context_.counters.add("values known from branches and guards", known);
    return known > 0;
  }

  bool propagate() {
    ConstantSolver solver(context_.module, function_, analyses_);
    solver.run();
    cfg::Substitution substitution(function_);
    reads_undef_ = false;
    for (BlockId b : function_.layout()) {
      if (solver.is_executable(b)) collect(b, solver, substitution);
    }
    bool changed = reads_undef_ && stop_at_undef(solver);
    if (!substitution.empty()) {
      substitution.apply(analyses_, context_.counters);
      context_.counters.add("instructions removed", cfg::remove_replaced(function_, substitution));
      analyses_.drop(Keeps::ControlFlow);
      changed = true;
    }
    return changed;
  }

  // Records the replacements of the results, and counts their consequences.
  void collect(BlockId b, const ConstantSolver& solver, cfg::Substitution& substitution) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      count(inst, solver);
      if (cfg::is_only_called(function_, id, analyses_.get<Uses>())) continue;
      for (Reg result : inst.results) {
        if (!result) continue;
        Operand by = replacement(function_.type(result), solver.value(Operand::reg(result)));
        if (by.is_none() || (!inst.is_pure() && !analyses_.get<Uses>().is_used(result))) continue;
        substitution.set(result, by);
        context_.counters.add(by.is_undef() ? "undef values found" : "constants found", 1);
        if (context_.remarks) context_.remarks->done(function_, id, in_words(by));
      }
    }
  }

  Operand replacement(Type type, Constant value) {
    if (value.is_varying() || (value.symbol && value.bits != 0)) return {};
    if (value.is_undef()) return Operand::undef(type);
    return value.symbol ? Operand::symbol(value.symbol) : function_.literal(type, value.bits);
  }

  std::string in_words(Operand by) const {
    if (by.is_undef()) return "is undef wherever it is read";
    if (by.is_symbol()) return "is always the address $" + std::string(context_.module.name(by.symbol()));
    Type type = function_.type(by);
    if (is_float(type)) return "is always the same floating point number";
    return "is always " + std::to_string(function_.literal_signed(by));
  }

  void count(const Inst& inst, const ConstantSolver& solver) {
    auto is_known = [&](Operand operand) {
      return operand.reads_reg() && !solver.value(operand).is_varying();
    };
    if (inst.guard && is_known(inst.guard.as_operand())) context_.counters.add("guards resolved", 1);
    if (inst.is_terminator()) {
      bool decides = is_decision(inst);
      if (decides && is_known(decided_by(function_, inst))) context_.counters.add("branches folded", 1);
      reads_undef_ |= inst.guard && solver.value(inst.guard.as_operand()).is_undef();
      reads_undef_ |= decides && solver.value(decided_by(function_, inst)).is_undef();
    }
    if (!inst.is_psi()) return;
    uint64_t dropped = 0, number = 0;
    for (PsiArgument argument : psi_arguments(function_, inst)) {
      Constant guard = solver.value(argument.guard);
      dropped += guard.is_undef() || guard.is_number(0);
      if (guard.is_number(1)) dropped = number;
      ++number;
    }
    if (dropped > 0) context_.counters.add("psi arguments dropped", dropped);
  }

  // To read an undef guard or condition there is undefined behaviour.
  bool stop_at_undef(const ConstantSolver& solver) {
    cfg::TerminatorFolding terminators(function_);
    bool changed = false;
    for (BlockId b : function_.layout()) {
      if (!solver.is_executable(b)) continue;
      size_t kept = function_.insts(b).size() - function_.terminators(b).size();
      InstId stop;
      for (InstId id : function_.terminators(b)) {
        const Inst& inst = function_.inst(id);
        bool is_undef = is_decision(inst) && solver.value(decided_by(function_, inst)).is_undef();
        Constant guard = solver.value(inst.guard.as_operand());
        // A branch under a guard that may be false is left to be folded.
        if (guard.is_undef() || (is_undef && guard.is_number(1))) stop = id;
        if (stop || guard.is_number(1)) break;
        ++kept;
      }
      if (!stop) continue;
      std::vector<BlockId> targets;
      function_.for_each_successor(b, [&](BlockId target) { targets.push_back(target); });
      function_.inst(stop) = Inst();
      function_.set_edge_counts(stop, {});
      std::vector<InstId> insts(function_.insts(b).begin(),
                                function_.insts(b).begin() + static_cast<ptrdiff_t>(kept));
      insts.push_back(stop);
      function_.set_insts(b, insts);
      terminators.drop_edges(b, targets);
      changed = true;
    }
    if (!changed) return false;
    terminators.finish();
    analyses_.drop(Keeps::Nothing);
    dce_unreachable(context_);
    analyses_.drop(Keeps::Nothing);
    return true;
  }

  PassContext& context_;
  Function& function_;
  Analyses& analyses_;
  bool reads_undef_ = false;  // a terminator does, for its guard or condition
};

}  // namespace

std::vector<PassOption> sccp_options() {
  return {PassOption::flag("facts", true, "use facts from branches and guards about their operands")};
}

void sccp(PassContext& context) { ConstantPropagation(context).run(); }

}  // namespace psi
