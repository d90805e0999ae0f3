// A statement is true if its counterexample, two terms true together, is unsatisfiable.

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "exact/formulas.h"
#include "psi/exact/predicates.h"

namespace psi {
namespace {

class ExactEngine : public PredicateEngine {
 public:
  ExactEngine(const PredicateTerms& terms, uint32_t limit)
      : terms_(terms), formulas_(terms), solver_(formulas_.context()) {
    z3::params params(formulas_.context());
    params.set("rlimit", limit);
    solver_.set(params);
  }

  Answer disjoint(Term a, Term b) override {
    if (b < a) std::swap(a, b);
    auto [at, is_new] = answers_.try_emplace(uint64_t{a.raw()} << 32 | b.raw(), Answer::Unknown);
    if (is_new) at->second = solve(a, b);
    return at->second;
  }
  Answer subset(Term inner, Term outer) override { return disjoint(inner, !outer); }

  PredicateExplanation explain(const PredicateQuestion& question) override {
    bool is_subset = question.kind == PredicateQuestion::Kind::Subset;
    Term a = question.first, b = is_subset ? !question.second : question.second;
    PredicateExplanation result;
    result.answer = disjoint(a, b);
    result.engine = PredicateEngineKind::Exact;
    if (result.answer == Answer::Yes) {
      result.proof.push_back({ProofStep::Rule::Conflict, question, {}, conflict(a, b), {}});
    } else if (result.answer == Answer::No) {
      result.witness = witness(question, a, b);
    }
    return result;
  }

 private:
  Answer solve(Term a, Term b) {
    solver_.push();
    solver_.add(formulas_.of(a) && formulas_.of(b));
    z3::check_result result = solver_.check();
    solver_.pop();
    if (result == z3::unsat) return Answer::Yes;
    return result == z3::sat && !has_address(a, b) ? Answer::No : Answer::Unknown;
  }

  // The address of an object, unknown but fixed.
  bool has_address(Term a, Term b) const {
    return std::ranges::any_of(values_of(terms_, {PredicateQuestion::Kind::Disjoint, a, b}),
                               [&](const WitnessValue& value) {
                                 return terms_.is_fixed(value.number) && !terms_.known_bits(value.number);
                               });
  }

  // Some factors of a and b that are never all true.
  std::vector<Term> conflict(Term a, Term b) {
    z3::context& context = formulas_.context();
    solver_.push();
    std::vector<Term> factors = this->factors(a, b);
    z3::expr_vector names(context);
    for (Term factor : factors) {
      names.push_back(context.bool_const(("t" + std::to_string(factor.raw())).c_str()));
      solver_.add(z3::implies(names.back(), formulas_.of(factor)));
    }
    // The first search succeeded within the limit, but differently.
    bool has_core = solver_.check(names) == z3::unsat;
    std::unordered_set<unsigned> core;
    if (has_core) {
      for (const z3::expr& name : solver_.unsat_core()) core.insert(name.id());
    }
    solver_.pop();
    if (!has_core) return factors;
    std::vector<Term> result;
    for (size_t i = 0; i < factors.size(); ++i) {
      if (core.contains(names[static_cast<int>(i)].id())) result.push_back(factors[i]);
    }
    return result;
  }

  // In order, each once.
  std::vector<Term> factors(Term a, Term b) const {
    std::vector<Term> work{a, b}, result;
    std::vector<bool> is_met(2 * (std::max(a.node(), b.node()) + size_t{1}));
    while (!work.empty()) {
      Term next = work.back();
      work.pop_back();
      if (is_met[next.raw()]) continue;
      is_met[next.raw()] = true;
      if (terms_.kind(next) == PredicateTerms::Kind::Both && !next.is_negated()) {
        work.push_back(terms_.second(next));
        work.push_back(terms_.first(next));
      } else {
        result.push_back(next);
      }
    }
    std::ranges::sort(result);
    return result;
  }

  // The first search succeeded within the limit; finding the model again may take more.
  Witness witness(const PredicateQuestion& question, Term a, Term b) {
    if (!solver_without_limit_) solver_without_limit_.emplace(formulas_.context());
    z3::solver& solver = *solver_without_limit_;
    solver.push();
    solver.add(formulas_.of(a) && formulas_.of(b));
    solver.check();
    z3::model model = solver.get_model();
    solver.pop();
    Witness result = values_of(terms_, question);
    for (WitnessValue& value : result) value.bits = formulas_.bits(model, value.type, value.number);
    return result;
  }

  const PredicateTerms& terms_;
  exact::Formulas formulas_;
  z3::solver solver_;
  std::optional<z3::solver> solver_without_limit_;  // made on first use
  std::unordered_map<uint64_t, Answer> answers_;    // by two terms, the smaller first
};

}  // namespace

std::unique_ptr<PredicateEngine> make_exact_engine(const PredicateTerms& terms, uint32_t limit) {
  return std::make_unique<ExactEngine>(terms, limit);
}

}  // namespace psi
