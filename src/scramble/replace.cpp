// Lets instructions read other registers of the same value.
//
//     x = add a, b            x = add a, b
//     p ? y = add a, b        p ? y = add a, b
//     z = psi x, q?c          z = psi x, q?c
//     p ? store y             p ? store x          computed alike, and x is defined where y is
//     q ? store z             q ? store c          what the psi takes where q is true
//     p ? store x             p ? store z          the other way round, if p and q exclude each other
#include <optional>

#include "psi/analysis/uses.h"
#include "scramble/equal.h"
#include "scramble/reads.h"

namespace psi::scramble {
namespace {

// The most psis remembered per value.
constexpr size_t kMaxPsis = 4;

class Replacement {
 public:
  explicit Replacement(ScrambleContext& context)
      : context_(context),
        function_(context.function),
        facts_(context),
        values_(context, facts_),
        reads_(context, facts_),
        psis_(context.function.num_regs()) {}

  void run() {
    find_psis();
    for (BlockId b : context_.blocks()) {
      for (InstId id : function_.insts(b)) {
        reads_.for_each(id, [&](Use use) {
          if (context_.dice.percent(60)) replace(use);
        });
      }
    }
  }

 private:
  struct Candidate {
    Operand value;
    const char* counter;
  };

  void find_psis() {
    for (BlockId b : context_.blocks()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).is_psi()) continue;
        for (const Argument& argument : arguments_of(function_, id)) {
          if (!argument.value.is_reg()) continue;
          std::vector<InstId>& psis = psis_[argument.value.reg().index()];
          if (psis.size() < kMaxPsis) psis.push_back(id);
        }
      }
    }
  }

  void replace(Use use) {
    Operand old = reads_.value(use);
    Term condition = reads_.condition(use);
    candidates_.clear();
    add_equal(old, condition);
    if (!old.is_negated()) {
      add_argument(old, condition);
      add_psis(old, condition);
    }
    context_.dice.shuffle(std::span(candidates_));
    for (const Candidate& candidate : candidates_) {
      if (!reads_.may_be(use, candidate.value)) continue;
      reads_.set(use, candidate.value);
      context_.counters.add(candidate.counter, 1);
      return;
    }
  }

  void add_equal(Operand old, Term condition) {
    Term needed = facts_.both(condition, facts_.domain(old));
    for (Reg r : values_.of(old.reg())) {
      if (r == old.reg() || !facts_.contains(values_.holds(r), needed)) continue;
      candidates_.push_back({Operand::predicate(r, old.is_negated()), "values replaced"});
    }
  }

  // If it is a psi that takes the same argument wherever the condition is true.
  void add_argument(Operand old, Term condition) {
    InstId id = facts_.definition(old.reg());
    if (!id || !function_.inst(id).is_psi()) return;
    std::optional<Operand> taken = taken_under(id, condition);
    if (taken && taken->is_reg()) candidates_.push_back({*taken, "psis seen through"});
  }

  void add_psis(Operand old, Term condition) {
    for (InstId id : psis_[old.reg().index()]) {
      if (taken_under(id, condition) != old) continue;
      candidates_.push_back({Operand::reg(function_.inst(id).results[0]), "psis read for an argument"});
    }
  }

  std::optional<Operand> taken_under(InstId psi, Term condition) {
    std::vector<Argument> arguments = arguments_of(function_, psi);
    for (size_t i = arguments.size(); i-- > 0;) {
      Term guard = facts_.term(arguments[i].guard);
      if (condition == Term::always() && guard != condition) break;
      if (facts_.contains(guard, condition)) return arguments[i].value;
      if (!facts_.excludes(guard, condition)) break;
    }
    return std::nullopt;
  }

  ScrambleContext& context_;
  Function& function_;
  FunctionFacts facts_;
  EqualValues values_;
  Reads reads_;
  std::vector<std::vector<InstId>> psis_;  // by Reg: psis with it as an argument, in the original function
  std::vector<Candidate> candidates_;
};

}  // namespace

void replace(ScrambleContext& context) { Replacement(context).run(); }

}  // namespace psi::scramble
