#include <z3++.h>

#include <optional>
#include <string>
#include <vector>

#include "psi/exact_predicates.h"

namespace psi {
namespace {

class ExactEngine : public PredicateEngine {
 public:
  ExactEngine(const PredicateTerms& terms, uint32_t limit)
      : terms_(terms), solver_(context_), nodes_(context_) {
    z3::params params(context_);
    if (limit != 0) params.set("rlimit", limit);
    solver_.set(params);
  }

  Answer disjoint(Term a, Term b) override { return never(formula(a) && formula(b)); }
  Answer subset(Term inner, Term outer) override { return never(formula(inner) && !formula(outer)); }

 private:
  Answer never(const z3::expr& formula) {
    solver_.push();
    solver_.add(formula);
    z3::check_result result = solver_.check();
    solver_.pop();
    return result == z3::unsat ? Answer::Yes : result == z3::sat ? Answer::No : Answer::Unknown;
  }

  z3::expr formula(Term term) {
    // Parts are older than what they are parts of.
    for (uint32_t node = nodes_.size(); node <= term.node(); ++node)
      nodes_.push_back(make(Term::of_node(node)));
    return literal(term);
  }
  z3::expr literal(Term term) const {
    z3::expr node = nodes_[term.node()];
    return term.is_negated() ? !node : node;
  }

  z3::expr make(Term term) {
    switch (terms_.kind(term)) {
      case PredicateTerms::Kind::Always:
        return context_.bool_val(true);
      case PredicateTerms::Kind::Both:
        return literal(terms_.first(term)) && literal(terms_.second(term));
      case PredicateTerms::Kind::Condition:
        break;
    }
    const Condition& condition = terms_.condition(term);
    z3::expr left = value(condition.type, condition.left);
    switch (condition.kind) {
      case Condition::Kind::Bit:
        return left == context_.bv_val(1, 1);
      case Condition::Kind::Range: {
        unsigned width = bit_width(condition.type);
        return z3::sle(context_.bv_val(condition.low, width), left) &&
               z3::sle(left, context_.bv_val(condition.high, width));
      }
      case Condition::Kind::Pair:
        break;
    }
    return outcomes(condition, left, value(condition.type, condition.right));
  }

  z3::expr outcomes(const Condition& condition, const z3::expr& a, const z3::expr& b) {
    z3::expr result = context_.bool_val(false);
    auto add = [&](uint8_t outcome, const z3::expr& formula) {
      if (condition.outcomes & outcome) result = result || formula;
    };
    if (is_float(condition.type)) {
      add(Condition::Equal, z3::fp_eq(a, b));
      add(Condition::Less, a < b);
      add(Condition::Greater, a > b);
      add(Condition::Unordered, a.mk_is_nan() || b.mk_is_nan());
      return result;
    }
    add(Condition::Equal, a == b);
    add(Condition::LessLess, z3::slt(a, b) && z3::ult(a, b));
    add(Condition::LessGreater, z3::slt(a, b) && z3::ugt(a, b));
    add(Condition::GreaterLess, z3::sgt(a, b) && z3::ult(a, b));
    add(Condition::GreaterGreater, z3::sgt(a, b) && z3::ugt(a, b));
    return result;
  }

  z3::expr value(Type type, ValueNumber number) {
    std::string name = "v" + std::to_string(number);
    if (type == Type::f32) return context_.fpa_const(name.c_str(), 8, 24);
    if (type == Type::f64) return context_.fpa_const(name.c_str(), 11, 53);
    return context_.bv_const(name.c_str(), bit_width(type));
  }

  const PredicateTerms& terms_;
  z3::context context_;
  z3::solver solver_;
  z3::expr_vector nodes_;  // by node
};

}  // namespace

std::unique_ptr<PredicateEngine> make_exact_engine(const PredicateTerms& terms, uint32_t limit) {
  return std::make_unique<ExactEngine>(terms, limit);
}

}  // namespace psi
