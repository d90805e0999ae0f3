// Exit tests, and final values of variables.
//
//     @l:                                              @l:
//       %i = phi [@b: 0], [@l: %i1]                      %i = phi [@b: 0], [@l: %i1]
//       %t = mul.i32 %i, 3                               ...
//       ...                                        ==>   %c = cmp.ne.i32 %i, 10
//       %c = cmp.le.i32 %t, 29                           br %c, @l, @after
//       br %c, @l, @after                              @after:
//     @after:                                            ret 11
//       ret %i1
//
// With a known trip count the test fails in exactly one iteration, so it can test for equality. Readers of a
// variable that only the failing test reaches read its last value.
#include <bit>

#include "optimise/dead_definitions.h"
#include "optimise/loops/induction_steps.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {
namespace {

class ExitTests {
 public:
  explicit ExitTests(InductionContext& context) : context_(context), function_(context.function) {}

  bool run() {
    uint64_t simplified = 0;
    for (uint32_t l = 0; l < context_.analyses.get<Loops>().num_loops(); ++l) {
      const ExitTest* test = context_.variables.exit_test(LoopId(l));
      if (test && (count_instead(*test) || make_strict(*test))) ++simplified;
    }
    if (simplified == 0) return false;
    context_.analyses.drop(Keeps::ControlFlow);
    remove_dead_definitions(function_, context_.analyses, std::move(gone_));
    context_.counters.add("exit tests simplified", simplified);
    return true;
  }

 private:
  // Compares the variable itself instead of what is computed for the test alone.
  bool count_instead(const ExitTest& test) {
    const InductionVariable& variable = context_.variables.variable(test.form.variable);
    if (!test.trip_count || test.tested == variable.phi || test.tested == variable.next) return false;
    if (context_.analyses.get<Uses>().uses(test.tested).size() != 1) return false;
    // The values up to the last differ: the step's zeros are what the type has fewer of.
    uint64_t step = function_.literal_bits(variable.step);
    if (step == 0 || *test.trip_count > function_.value_mask(variable.type) >> std::countr_zero(step))
      return false;
    LinearForm phi{test.form.variable, 1, 0};
    std::optional<uint64_t> last = context_.variables.value_after(phi, *test.trip_count);
    note(test, "asks for the last value of the induction variable");
    Inst& compare = function_.inst(test.compare);
    compare.set_cond(holds_while_inside(test) ? Cond::ne : Cond::eq);
    function_.set_operands(test.compare,
                           std::array{Operand::reg(variable.phi), function_.literal(variable.type, *last)});
    gone_.push_back(test.tested);
    return true;
  }

  bool holds_while_inside(const ExitTest& test) const {
    return as_branch(function_, function_.terminators(test.block)[0]).otherwise == test.exit;
  }

  // `<=` and `>=` with a literal become `<` and `>`, with the variable on the left.
  bool make_strict(const ExitTest& test) {
    Inst& compare = function_.inst(test.compare);
    auto [tested, bound] = as_compared(function_, test.compare);
    bool swapped = tested.is_literal();
    if (swapped) std::swap(tested, bound);
    if (!tested.is_reg() || !bound.is_literal()) return false;
    Cond cond = swapped ? swap_operands(compare.cond()) : compare.cond();
    uint64_t mask = function_.value_mask(compare.type), bits = function_.literal_bits(bound);
    uint64_t least_signed = (mask >> 1) + 1;
    Cond strict = cond;
    uint64_t by = 0;
    if (cond == Cond::le && bits != mask >> 1) strict = Cond::lt, by = 1;
    if (cond == Cond::ge && bits != least_signed) strict = Cond::gt, by = mask;
    if (cond == Cond::ule && bits != mask) strict = Cond::ult, by = 1;
    if (cond == Cond::uge && bits != 0) strict = Cond::ugt, by = mask;
    if (strict == cond && !swapped) return false;
    if (compare.type == Type::ptr) return false;
    note(test, "brought into the form variable < literal");
    compare.set_cond(strict);
    Operand literal = function_.literal(compare.type, (bits + by) & mask);
    function_.set_operands(test.compare, std::array{tested, literal});
    return true;
  }

  void note(const ExitTest& test, const char* message) {
    if (context_.remarks) context_.remarks->done(function_, test.compare, message);
  }

  InductionContext& context_;
  Function& function_;
  std::vector<Reg> gone_;
};

class FinalValues {
 public:
  explicit FinalValues(InductionContext& context)
      : context_(context),
        function_(context.function),
        uses_(context.analyses.get<Uses>()),
        has_guards_(has_guards(context.function)) {}

  bool run() {
    for (uint32_t r = 0; r < function_.num_regs(); ++r) {
      const LinearForm* form = context_.variables.form(Reg(r));
      if (!form) continue;
      const InductionVariable& variable = context_.variables.variable(form->variable);
      const ExitTest* test = context_.variables.exit_test(variable.loop);
      if (!test || !test->trip_count || variable.type == Type::ptr) continue;
      std::optional<uint64_t> last = context_.variables.value_after(*form, *test->trip_count);
      if (last) replace(Reg(r), *test, variable.loop, *last);
    }
    if (replaced_ == 0) return false;
    context_.analyses.drop(Keeps::ControlFlow);
    remove_dead_definitions(function_, context_.analyses, std::move(gone_));
    context_.counters.add("final values replaced", replaced_);
    return true;
  }

 private:
  void replace(Reg r, const ExitTest& test, LoopId loop, uint64_t last) {
    Operand literal;
    for (Use use : uses_.uses(r)) {
      BlockId b = uses_.block(use.inst);
      if (use.is_guard() || context_.analyses.get<Loops>().contains(loop, b)) continue;
      if (!is_after_exit(use, b, test)) continue;
      // Containment of guards in domains depends on how predicates are computed: one computed after the loop
      // may have to equal one in it.
      if (has_guards_ && function_.inst(use.inst).result_type() == Type::i1) continue;
      if (literal.is_none()) literal = function_.literal(function_.type(r), last);
      if (context_.remarks) context_.remarks->done(function_, use.inst, "reads the last value of a counter");
      function_.operands(use.inst)[use.operand] = literal;
      ++replaced_;
    }
    if (!literal.is_none()) gone_.push_back(r);
  }

  // Is the use reached only after the test has failed?
  bool is_after_exit(Use use, BlockId b, const ExitTest& test) const {
    const Cfg& cfg = context_.analyses.get<Cfg>();
    BlockId reader = b;
    if (function_.inst(use.inst).is_phi()) {
      reader = incoming_block(function_, use.inst, use.operand);
      if (reader == test.block) return b == test.exit;
    }
    return cfg.predecessors(test.exit).size() == 1 &&
           context_.analyses.get<Dominators>().dominates(test.exit, reader);
  }

  InductionContext& context_;
  Function& function_;
  const Uses& uses_;
  bool has_guards_;
  std::vector<Reg> gone_;
  uint64_t replaced_ = 0;
};

}  // namespace

bool simplify_exit_tests(InductionContext& context) { return ExitTests(context).run(); }

bool replace_final_values(InductionContext& context) { return FinalValues(context).run(); }

bool remove_dead_variables(InductionContext& context) {
  const Uses& uses = context.analyses.get<Uses>();
  auto only_reader = [&](Reg r, InstId reader) {
    for (Use use : uses.uses(r)) {
      if (use.inst != reader) return false;
    }
    return true;
  };
  std::vector<Reg> gone;
  for (const InductionVariable& variable : context.variables.all()) {
    InstId phi = context.definition(variable.phi), next = context.definition(variable.next);
    if (variable.kind != InductionVariable::Kind::Basic) continue;
    if (!only_reader(variable.phi, next) || !only_reader(variable.next, phi)) continue;
    // Without the edges back the two no longer keep each other alive.
    for (MutablePhiEntry entry : mutable_phi_entries(context.function, phi)) {
      entry.value = Operand::undef(variable.type);
    }
    gone.insert(gone.end(), {variable.next, variable.phi});
  }
  if (gone.empty()) return false;
  context.counters.add("dead induction variables removed", gone.size() / 2);
  context.analyses.drop(Keeps::ControlFlow);
  remove_dead_definitions(context.function, context.analyses, std::move(gone));
  return true;
}

}  // namespace psi::optimise
