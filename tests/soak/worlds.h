// All that the inputs of a small program can be, and sets of these worlds.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "predicate_testing.h"
#include "psi/predicate/predicates.h"

namespace psi::soak {

class WorldSet {
 public:
  WorldSet() = default;
  explicit WorldSet(uint32_t num_worlds) : size_(num_worlds), words_((num_worlds + 63) / 64) {}
  static WorldSet all(uint32_t num_worlds) { return ~WorldSet(num_worlds); }

  void insert(uint32_t world) { words_[world / 64] |= uint64_t{1} << world % 64; }
  bool is_disjoint(const WorldSet& other) const {
    return none(other, [](uint64_t a, uint64_t b) { return a & b; });
  }
  bool is_subset(const WorldSet& other) const {
    return none(other, [](uint64_t a, uint64_t b) { return a & ~b; });
  }
  bool operator==(const WorldSet&) const = default;

  WorldSet& operator&=(const WorldSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  WorldSet& operator|=(const WorldSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  friend WorldSet operator&(WorldSet a, const WorldSet& b) { return a &= b; }
  friend WorldSet operator|(WorldSet a, const WorldSet& b) { return a |= b; }
  friend WorldSet operator~(WorldSet a) {
    for (uint64_t& word : a.words_) word = ~word;
    if (a.size_ % 64 != 0) a.words_.back() &= (uint64_t{1} << a.size_ % 64) - 1;
    return a;
  }

 private:
  template <class Combine>
  bool none(const WorldSet& other, Combine combine) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (combine(words_[i], other.words_[i]) != 0) return false;
    }
    return true;
  }

  uint32_t size_ = 0;
  std::vector<uint64_t> words_;
};

// A world is a way for each of several choices that do not depend on each other; a choice decides what some
// parameters are.
class Worlds {
 public:
  uint32_t size() const { return size_; }
  uint32_t add_choice(uint32_t num_values) {
    choices_.push_back({size_, num_values});
    size_ *= num_values;
    return static_cast<uint32_t>(choices_.size()) - 1;
  }
  // `values`, by the way chosen.
  void set(Reg param, uint32_t choice, std::vector<uint8_t> values) {
    if (param.index() >= params_.size()) params_.resize(param.index() + 1);
    params_[param.index()] = {choice, std::move(values)};
  }
  uint8_t value(Reg param, uint32_t world) const {
    const Param& p = params_[param.index()];
    return p.values[world / choices_[p.choice].stride % choices_[p.choice].num_values];
  }

 private:
  struct Choice {
    uint32_t stride;
    uint32_t num_values;
  };
  struct Param {
    uint32_t choice = 0;
    std::vector<uint8_t> values;
  };
  uint32_t size_ = 1;
  std::vector<Choice> choices_;
  std::vector<Param> params_;  // by Reg
};

// Where terms are true, whoever made them.
class TermTruth {
 public:
  TermTruth(const Predicates& predicates, const Worlds& worlds) : predicates_(predicates), worlds_(worlds) {}

  WorldSet of(Term term) {
    // Parts are older than their wholes.
    for (auto node = static_cast<uint32_t>(known_.size()); node <= term.node(); ++node) {
      known_.push_back(make(Term::of_node(node)));
    }
    return value(term);
  }

 private:
  WorldSet value(Term term) const { return term.is_negated() ? ~known_[term.node()] : known_[term.node()]; }

  WorldSet make(Term term) const {
    const PredicateTerms& terms = predicates_.terms();
    if (terms.kind(term) == PredicateTerms::Kind::Always) return WorldSet::all(worlds_.size());
    if (terms.kind(term) == PredicateTerms::Kind::Both)
      return value(terms.first(term)) & value(terms.second(term));
    WorldSet result(worlds_.size());
    for (uint32_t world = 0; world < worlds_.size(); ++world) {
      auto number = [&](ValueNumber n) -> uint64_t {
        return worlds_.value(predicates_.numbered_value(n).operand.reg(), world);
      };
      if (testing::holds(terms.condition(term), number)) result.insert(world);
    }
    return result;
  }

  const Predicates& predicates_;
  const Worlds& worlds_;
  std::vector<WorldSet> known_;  // by node
};

}  // namespace psi::soak
