// As in IMPACT (Lin 1990): every predicate has a boolean equation, a sum of products of conditions; two are
// disjoint if the product of their equations simplifies to false.
//
// A product is dropped where it has a condition and its negation, or two disjoint conditions on the same
// values. Equations that grow too long are given up, so a question costs at most a product of two of the
// longest.

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <vector>

#include "predicate/engines.h"
#include "predicate/witness.h"

namespace psi::predicate {
namespace {

class HierarchyEngine : public PredicateEngine {
 public:
  explicit HierarchyEngine(PredicateTerms& terms) : terms_(terms) {}

  Answer disjoint(Term a, Term b) override { return ask(a, b).answer; }
  Answer subset(Term inner, Term outer) override { return disjoint(inner, !outer); }

  PredicateExplanation explain(const PredicateQuestion& question) override {
    bool is_subset = question.kind == PredicateQuestion::Kind::Subset;
    Term a = question.first, b = is_subset ? !question.second : question.second;
    auto [answer, example] = ask(a, b);
    PredicateExplanation result;
    result.answer = answer;
    result.engine = PredicateEngineKind::Hierarchy;
    if (answer == Answer::No) {
      // Values that the example does not mention are free.
      result.witness = values_of(terms_, question);
      for (WitnessValue& value : result.witness) {
        auto at = std::ranges::find(example, value.number, &WitnessValue::number);
        if (at != example.end()) value.bits = at->bits;
      }
    } else if (answer == Answer::Yes) {
      show_disjoint(a, b, result.proof);
      if (is_subset) result.proof.push_back({ProofStep::Rule::Rest, question, {}, {}, {last(result.proof)}});
    }
    return result;
  }

 private:
  using Product = std::vector<Term>;  // of conditions or their negations, sorted
  struct Equation {
    std::vector<Product> products;
    bool is_unknown = false;
  };
  struct Finding {
    Answer answer;
    Witness example;  // No: for which both are true
  };
  static constexpr size_t kMaxProducts = 64;
  static constexpr size_t kMaxFactors = 64;

  // Are the two disjoint?
  Finding ask(Term a, Term b) {
    const Equation &first = equation(a), &second = equation(b);
    if (first.is_unknown || second.is_unknown) return {Answer::Unknown, {}};
    Answer answer = Answer::Yes;
    for (const Product& p : first.products) {
      for (const Product& q : second.products) {
        std::optional<Product> common = product(p, q);
        if (!common) continue;
        if (std::optional<Witness> example = satisfy(terms_, *common))
          return {Answer::No, std::move(*example)};
        answer = Answer::Unknown;
      }
    }
    return {answer, {}};
  }

  // Of a term and its subterms.
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

  // Absorbs products that another one includes.
  static void add(Equation& equation, Product product) {
    for (const Product& known : equation.products) {
      if (std::ranges::includes(product, known)) return;
    }
    std::erase_if(equation.products,
                  [&](const Product& known) { return std::ranges::includes(known, product); });
    if (product.size() > kMaxFactors) equation.products.resize(kMaxProducts + 1);
    equation.products.push_back(std::move(product));
  }

  // Two disjoint factors, if any.
  std::optional<std::pair<Term, Term>> exclusion(const Product& p, const Product& q) const {
    for (Term a : p) {
      for (Term b : q) {
        if (terms_.excludes(a, b)) return std::pair(a, b);
      }
    }
    return std::nullopt;
  }

  // Nothing if two factors are disjoint.
  std::optional<Product> product(const Product& p, const Product& q) const {
    if (exclusion(p, q)) return std::nullopt;
    Product result;
    std::ranges::set_union(p, q, std::back_inserter(result));
    return result;
  }

  // Every product of one equation is disjoint from every product of the other.
  void show_disjoint(Term a, Term b, std::vector<ProofStep>& proof) {
    const Equation &first = equations_.at(a.raw()), &second = equations_.at(b.raw());
    constexpr auto kDisjoint = PredicateQuestion::Kind::Disjoint;
    std::vector<size_t> rows, columns;
    std::vector<Term> firsts = terms_of(first, rows), seconds = terms_of(second, columns);
    // A term that is its own only product needs no step.
    auto conclude = [&](ProofStep step) {
      if (step.parts.size() != 1 || step.parts[0] != step.whole) proof.push_back(std::move(step));
    };
    ProofStep conclusion = {ProofStep::Rule::Parts, {kDisjoint, a, b}, b, seconds, {}};
    for (size_t j = 0; j < seconds.size(); ++j) {
      ProofStep step = {ProofStep::Rule::Parts, {kDisjoint, a, seconds[j]}, a, firsts, {}};
      for (size_t i = 0; i < firsts.size(); ++i) {
        auto [x, y] = *exclusion(first.products[rows[i]], second.products[columns[j]]);
        proof.push_back({ProofStep::Rule::Exclude, {kDisjoint, firsts[i], seconds[j]}, {}, {x, y}, {}});
        step.from.push_back(last(proof));
      }
      conclude(std::move(step));
      conclusion.from.push_back(last(proof));
    }
    conclude(std::move(conclusion));
  }
  static uint32_t last(const std::vector<ProofStep>& proof) {
    return static_cast<uint32_t>(proof.size()) - 1;
  }

  // The products as distinct terms, and the index of a product for each.
  std::vector<Term> terms_of(const Equation& equation, std::vector<size_t>& places) {
    std::vector<Term> result;
    for (size_t i = 0; i < equation.products.size(); ++i) {
      Term term = Term::always();
      for (Term factor : equation.products[i]) term = terms_.both(term, factor);
      if (std::ranges::find(result, term) != result.end()) continue;
      result.push_back(term);
      places.push_back(i);
    }
    return result;
  }

  PredicateTerms& terms_;
  std::unordered_map<uint32_t, Equation> equations_;  // by Term::raw()
};

}  // namespace

std::unique_ptr<PredicateEngine> make_hierarchy_engine(PredicateTerms& terms) {
  return std::make_unique<HierarchyEngine>(terms);
}

}  // namespace psi::predicate
