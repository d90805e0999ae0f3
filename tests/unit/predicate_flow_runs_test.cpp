// Predicate-sensitive data flow of whole functions in SSA form, against what runs show.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "flow_testing.h"
#include "iterations.h"
#include "predicate_testing.h"
#include "psi/analysis/uses.h"
#include "psi/interp/interpret.h"
#include "psi/live/predicate_flow.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"
#include "show_values.h"

namespace psi {
namespace {

using testing::for_each_function;
using testing::kProblems;
using testing::make_ssa;

// One time through a block.
struct Visit {
  BlockId block;
  std::map<Reg, uint64_t> values;  // where it ends; those that are defined and shown
};

std::vector<Visit> visits_of(const Function& function, const Outcome& outcome,
                             const std::vector<Value>& arguments) {
  std::vector<Visit> visits;
  std::map<Reg, uint64_t> values;
  for (size_t i = 0; i < arguments.size(); ++i) values[function.params[i]] = arguments[i].bits;
  for (const ExternalCall& call : outcome.calls) {
    if (!call.callee.starts_with("seen_")) continue;
    auto id = static_cast<uint32_t>(call.arguments[0].bits);
    if (call.callee != "seen_block") {
      visits.back().values[Reg(id)] = call.arguments[1].bits;
      continue;
    }
    if (!visits.empty()) values = visits.back().values;
    for (InstId inst : function.insts(BlockId(id))) {
      for (Reg r : function.inst(inst).results) values.erase(r);
    }
    visits.push_back({BlockId(id), values});
  }
  return visits;
}

// Compares what a run does, which is one execution of all, with what data flow says of each point.
class Replay {
 public:
  Replay(const Function& function, FlowProblem problem, FlowScope scope)
      : function_(function),
        analyses_(function),
        problem_(problem),
        flow_(function, analyses_, problem, scope) {
    for (uint32_t i = 0; i < flow_.items().size(); ++i) {
      const FlowItem& item = flow_.items()[i];
      index_[{item.inst, item.index}] = i;
      if (problem == FlowProblem::ReachingDefinitions && !item.inst) params_.push_back(i);
    }
  }

  void run(const std::vector<Visit>& visits) {
    holds_.clear();
    for (uint32_t item : params_) hold(item);
    bool backward = is_backward(problem_);
    for (size_t i = 0; i < visits.size(); ++i) {
      size_t at = backward ? visits.size() - 1 - i : i;
      visit_ = &visits[at];
      known_.clear();
      // Phis read between the blocks.
      if (backward && at + 1 < visits.size()) add_phi_reads(visits[at + 1].block, visit_->block);
      if (problem_ == FlowProblem::DownwardExposedUses && at > 0) {
        add_phi_reads(visit_->block, visits[at - 1].block);
      }
      walk();
      ASSERT_FALSE(::testing::Test::HasFailure()) << "visit " << at << " of block " << visit_->block.index();
    }
  }

  uint64_t num_checked() const { return num_checked_; }

 private:
  void walk() {
    std::span<const InstId> insts = function_.insts(visit_->block);
    flow_.enter(visit_->block);
    check();
    while (true) {
      uint32_t before = flow_.position();
      if (!flow_.advance()) break;
      go_over(insts[is_backward(problem_) ? before - 1 : before]);
      check();
    }
  }

  void check() {
    if (!is_must(problem_)) {
      for (uint32_t item : holds_) {
        ++num_checked_;
        EXPECT_TRUE(includes(flow_.state()[item])) << "item " << item << " at " << flow_.position();
      }
      return;
    }
    for (const FlowState::Entry& entry : flow_.state().entries()) {
      if (!includes(entry.where)) continue;
      ++num_checked_;
      EXPECT_TRUE(holds_.contains(entry.item)) << "item " << entry.item << " at " << flow_.position();
    }
  }

  // Is this execution in the set? For all that is known, if it depends on values that are not shown.
  bool includes(const PredicateExpr& expr) {
    return expr.any_of([&](Symbol s) {
      auto [at, is_new] = known_.try_emplace(s);
      if (is_new) at->second = is_true(flow_.graph().term(s));
      return at->second;
    });
  }

  bool is_true(Term term) {
    if (term == Term::always()) return true;
    bool is_shown = true;
    auto value = [&](ValueNumber n) -> uint64_t {
      Operand operand = flow_.predicates()->numbered_value(n).operand;
      if (operand.is_literal()) return function_.literal_bits(operand);
      if (!operand.is_reg() || !visit_->values.contains(operand.reg())) is_shown = false;
      return is_shown ? visit_->values.at(operand.reg()) : 0;
    };
    bool result = testing::holds(flow_.predicates()->terms(), term, value);
    return is_shown ? result : !is_must(problem_);
  }

  bool is_true(Operand predicate) const {
    if (!predicate.reads_reg()) return function_.literal_bits(predicate) != 0;
    auto at = visit_->values.find(predicate.reg());
    return at != visit_->values.end() && (at->second != 0) != predicate.is_negated();
  }

  // Terminators after the one that is taken do not execute.
  bool executes(InstId id) const {
    const Inst& inst = function_.inst(id);
    for (InstId other : function_.terminators(visit_->block)) {
      if (other == id || !inst.is_terminator()) break;
      if (is_true(function_.inst(other).guard.as_operand())) return false;
    }
    return is_true(inst.guard.as_operand());
  }

  // A psi gives its result a value where it takes an argument.
  bool defines(InstId id) const {
    const Inst& inst = function_.inst(id);
    return inst.is_psi() ? taken(function_.operands(inst)) != UINT32_MAX : executes(id);
  }

  // --- What an instruction does ---------------------------------------------------------------------------

  void go_over(InstId id) {
    switch (problem_) {
      case FlowProblem::Liveness:
      case FlowProblem::UpwardExposedUses:
        end(id);
        add_reads(id);
        break;
      case FlowProblem::DownwardExposedUses:
        add_reads(id);
        end(id);
        break;
      case FlowProblem::ReachingDefinitions:
        end(id);
        for (uint32_t i = 0; defines(id) && i < function_.inst(id).num_results(); ++i) hold(index_[{id, i}]);
        break;
      case FlowProblem::AvailableExpressions:
        for (uint32_t item = 0; executes(id) && item < flow_.items().size(); ++item) {
          if (is_same(id, flow_.items()[item].inst)) hold(item);
        }
        end(id);
        break;
    }
  }

  void hold(uint32_t item) { holds_.insert(item); }

  void end(InstId id) {
    for (Reg r : function_.inst(id).results) {
      if (!r) continue;
      std::erase_if(holds_, [&](uint32_t i) {
        const FlowItem& item = flow_.items()[i];
        if (item.reg) return item.reg == r;
        for (Operand operand : function_.operands(item.inst)) {
          if (operand.reads_reg() && operand.reg() == r) return true;
        }
        return false;
      });
    }
  }

  void add_read(InstId id, uint32_t operand, Operand what) {
    if (!what.reads_reg()) return;
    hold(problem_ == FlowProblem::Liveness ? what.reg().index() : index_[{id, operand}]);
  }

  void add_phi_reads(BlockId b, BlockId from) {
    for (InstId id : function_.insts(b)) {
      if (!function_.inst(id).is_phi()) return;
      std::span<const Operand> pairs = function_.operands(id);
      for (uint32_t i = 0; i < pairs.size(); i += 2) {
        if (pairs[i].block() == from) add_read(id, i + 1, pairs[i + 1]);
      }
    }
  }

  void add_reads(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.is_phi()) return;
    if (inst.guard) add_read(id, Use::kGuard, inst.guard.as_operand());
    if (!executes(id)) return;
    std::span<const Operand> operands = function_.operands(id);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      bool is_read = true;
      if (inst.is_psi() && i % 2 == 1) is_read = i == taken(operands);
      if (inst.op == Opcode::Cmpp) is_read = is_compared(operands, i);
      if (is_read) add_read(id, i, operands[i]);
    }
  }

  // The argument that a psi takes.
  uint32_t taken(std::span<const Operand> pairs) const {
    for (auto i = static_cast<uint32_t>(pairs.size()); i > 0; i -= 2) {
      if (is_true(pairs[i - 2])) return i - 1;
    }
    return UINT32_MAX;
  }

  // Old values are read where the target is not written. That cannot be seen from outside; that the input is
  // false is enough to tell that it is not.
  bool is_compared(std::span<const Operand> operands, uint32_t i) const {
    if (i == 2) return true;
    return (i < 2) == is_true(operands[2]);
  }

  bool is_same(InstId a, InstId b) const {
    const Inst &x = function_.inst(a), &y = function_.inst(b);
    if (x.op != y.op || x.type != y.type || x.kind != y.kind || x.extra != y.extra) return false;
    std::span<const Operand> p = function_.operands(x), q = function_.operands(y);
    if (std::ranges::equal(p, q)) return true;
    return is_commutative(x.op) && p[0] == q[1] && p[1] == q[0];
  }

  const Function& function_;
  Analyses analyses_;
  FlowProblem problem_;
  PredicateFlow flow_;
  std::map<std::pair<InstId, uint32_t>, uint32_t> index_;
  std::vector<uint32_t> params_;
  const Visit* visit_ = nullptr;
  std::set<uint32_t> holds_;
  std::map<Symbol, bool> known_;  // of this visit
  uint64_t num_checked_ = 0;
};

TEST(PredicateFlow, RunsOfFunctions) {
  std::map<std::pair<FlowScope, FlowProblem>, uint64_t> num_checked;
  uint64_t count = testing::num_programs(testing::iterations(60u));
  for (uint64_t seed = 0; seed < count; ++seed) {
    GenerateOptions options = testing::program(seed);
    options.functions = 2;
    options.calls = false;
    options.max_steps = 200;
    Module module = generate(options);
    for_each_function(module, [&](Function& function) {
      if (!takes_arguments(function)) return;
      make_ssa(function);
      testing::show_values(module, function);
      Result<void> verified = verifies(module, function);
      ASSERT_TRUE(verified) << render(verified, "test", print(module));
      std::vector<std::vector<Visit>> runs;
      for (uint64_t run = 0; run < 2; ++run) {
        std::vector<Value> arguments = generate_arguments(function, seed * 2 + run);
        InterpretOptions interpretation;
        interpretation.stub_externals = true;
        interpretation.record = true;
        Outcome outcome = interpret(module, function.symbol, arguments, interpretation);
        ASSERT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message;
        runs.push_back(visits_of(function, outcome, arguments));
      }
      for (FlowScope scope : {FlowScope::Blind, FlowScope::Local, FlowScope::Global}) {
        for (FlowProblem problem : kProblems) {
          Replay replay(function, problem, scope);
          for (const std::vector<Visit>& visits : runs) {
            replay.run(visits);
            ASSERT_FALSE(HasFailure()) << "seed " << seed << ", problem " << static_cast<int>(problem)
                                       << ", scope " << static_cast<int>(scope) << "\n"
                                       << print(module, function);
          }
          num_checked[{scope, problem}] += replay.num_checked();
        }
      }
    });
    ASSERT_FALSE(HasFailure());
  }
  for (auto [what, number] : num_checked) EXPECT_GT(number, 10 * count) << static_cast<int>(what.second);
}

}  // namespace
}  // namespace psi
