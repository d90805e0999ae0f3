// IMPACT's way (Lin 1990): every predicate has its boolean equation, a sum of products of conditions; two are
// disjoint if the product of their equations simplifies to false.
//
// A product is dropped where it has a condition and its negation, or two conditions on the same values that
// exclude each other. Equations that grow too long are given up, so that a question costs no more than a
// product of two of the longest.

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <vector>

#include "predicate/engines.h"

namespace psi::predicate {
namespace {

class HierarchyEngine : public PredicateEngine {
 public:
  explicit HierarchyEngine(PredicateTerms& terms) : terms_(terms) {}

  Answer disjoint(Term a, Term b) override {
    const Equation& x = equation(a);
    if (x.is_unknown) return Answer::Unknown;
    // A reference into the table may not outlive the next equation.
    Equation first = x;
    const Equation& second = equation(b);
    if (second.is_unknown) return Answer::Unknown;
    Answer answer = Answer::Yes;
    for (const Product& p : first.products) {
      for (const Product& q : second.products) {
        std::optional<Product> common = product(p, q);
        if (!common) continue;
        if (is_free(*common)) return Answer::No;
        answer = Answer::Unknown;
      }
    }
    return answer;
  }

  Answer subset(Term inner, Term outer) override { return disjoint(inner, !outer); }

 private:
  using Product = std::vector<Term>;  // of conditions or their negations, sorted
  struct Equation {
    std::vector<Product> products;
    bool is_unknown = false;
  };
  static constexpr size_t kMaxProducts = 64;
  static constexpr size_t kMaxFactors = 64;

  // Of a term and all that it is made of.
  const Equation& equation(Term term) {
    std::vector<Term> pending{term};
    while (!pending.empty()) {
      Term next = pending.back();
      if (equations_.contains(next.raw())) {
        pending.pop_back();
        continue;
      }
      size_t before = pending.size();
      if (terms_.kind(next) == PredicateTerms::Kind::Both) {
        for (Term part : {terms_.first(next), terms_.second(next)}) {
          Term needed = next.is_negated() ? !part : part;
          if (!equations_.contains(needed.raw())) pending.push_back(needed);
        }
      }
      if (pending.size() > before) continue;
      equations_[next.raw()] = make(next);
      pending.pop_back();
    }
    return equations_[term.raw()];
  }

  Equation make(Term term) const {
    if (term == Term::always()) return {{{}}, false};
    if (term == Term::never()) return {};
    if (terms_.kind(term) == PredicateTerms::Kind::Condition) return {{{term}}, false};
    Term first = terms_.first(term), second = terms_.second(term);
    const Equation& a = equations_.at((term.is_negated() ? !first : first).raw());
    const Equation& b = equations_.at((term.is_negated() ? !second : second).raw());
    Equation result;
    result.is_unknown = a.is_unknown || b.is_unknown;
    if (result.is_unknown) return result;
    if (term.is_negated()) {
      result.products = a.products;
      for (const Product& p : b.products) add(result, p);
    } else {
      for (const Product& p : a.products) {
        for (const Product& q : b.products) {
          if (std::optional<Product> common = product(p, q)) add(result, std::move(*common));
        }
        if (result.products.size() > kMaxProducts) break;
      }
    }
    if (result.products.size() <= kMaxProducts) return result;
    return {{}, true};
  }

  // Without what another product includes.
  static void add(Equation& equation, Product product) {
    for (const Product& known : equation.products) {
      if (std::ranges::includes(product, known)) return;
    }
    std::erase_if(equation.products,
                  [&](const Product& known) { return std::ranges::includes(known, product); });
    if (product.size() > kMaxFactors) equation.products.resize(kMaxProducts + 1);
    equation.products.push_back(std::move(product));
  }

  // Nothing if two factors exclude each other.
  std::optional<Product> product(const Product& p, const Product& q) const {
    for (Term a : p) {
      for (Term b : q) {
        if (terms_.excludes(a, b)) return std::nullopt;
      }
    }
    Product result;
    std::ranges::set_union(p, q, std::back_inserter(result));
    return result;
  }

  // Can it be true? It can if no two of its conditions are on values in common.
  bool is_free(const Product& product) const {
    std::vector<ValueNumber> values;
    for (Term factor : product) {
      const Condition& condition = terms_.condition(factor);
      values.push_back(condition.left);
      if (condition.kind != Condition::Kind::Pair) continue;
      if (condition.right == condition.left || is_float(condition.type)) return false;
      values.push_back(condition.right);
    }
    std::ranges::sort(values);
    return std::ranges::adjacent_find(values) == values.end();
  }

  PredicateTerms& terms_;
  std::unordered_map<uint32_t, Equation> equations_;  // by Term::raw()
};

}  // namespace

std::unique_ptr<PredicateEngine> make_hierarchy_engine(PredicateTerms& terms) {
  return std::make_unique<HierarchyEngine>(terms);
}

}  // namespace psi::predicate
