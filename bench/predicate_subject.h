// A block of predicate code with what is known of it, to ask about.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "predicate_shapes.h"
#include "psi/predicate/partition_graph.h"
#include "psi/predicate/predicates.h"
#include "testing/random.h"

namespace psi::bench {

inline const Function& only_function(const Module& module) {
  return module.function(module.declarations()[0]);
}

// The predicates that the block defines.
inline std::vector<Term> all_terms(const Function& function, const Predicates& predicates) {
  std::vector<Term> terms;
  for (InstId id : function.insts(function.entry())) {
    const Inst& inst = function.inst(id);
    for (int i = 0; i < 2; ++i) {
      if (inst.results[i] && inst.result_type() == Type::i1) terms.push_back(predicates.value_of(id, i));
    }
  }
  return terms;
}

class Subject {
 public:
  static constexpr size_t kNumPairs = 1024;

  Subject(const PredicateShape& shape, uint64_t size)
      : module_(shape.make(size)),
        analyses_(only_function(module_)),
        predicates_(only_function(module_), analyses_),
        terms_(all_terms(only_function(module_), predicates_)),
        graph_(predicates_.terms()) {
    for (Term term : terms_) symbols_.push_back(graph_.symbol(term));
  }

  PartitionGraph& graph() { return graph_; }
  PredicateTerms& terms() { return predicates_.terms(); }
  template <class T>
  static std::vector<std::pair<T, T>> pairs(const std::vector<T>& all) {
    Random random(1);
    std::vector<std::pair<T, T>> result;
    for (size_t i = 0; i < kNumPairs; ++i) result.emplace_back(random.element(all), random.element(all));
    return result;
  }
  std::vector<std::pair<Symbol, Symbol>> symbol_pairs() const { return pairs(symbols_); }
  std::vector<std::pair<Term, Term>> term_pairs() const { return pairs(terms_); }

 private:
  Module module_;
  Analyses analyses_;
  Predicates predicates_;
  std::vector<Term> terms_;
  PartitionGraph graph_;
  std::vector<Symbol> symbols_;
};

// The last one that was asked for. Benchmarks of one block are registered one after the other, so that each
// is made once.
class Subjects {
 public:
  Subject& get(const PredicateShape& shape, uint64_t size) {
    if (!last_ || shape_ != shape.name || size_ != size) last_.emplace(shape, size);
    shape_ = shape.name;
    size_ = size;
    return *last_;
  }

 private:
  std::optional<Subject> last_;
  std::string_view shape_;
  uint64_t size_ = 0;
};

}  // namespace psi::bench
