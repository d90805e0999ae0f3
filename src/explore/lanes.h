// The lanes of a region: disjoint sets of executions that together are all of them, few enough to be drawn.
//
// The region's executions are split by every predicate that a guard, branch or psi of it reads, into parts;
// what an engine proves empty is dropped. Where there are too many parts, the rarest are one. Each set of
// executions is then known by the parts that it contains and by those that it may meet.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "psi/predicate/engine.h"
#include "psi/predicate/predicates.h"

namespace psi::explore {

// A set over the parts: a bit for each that is contained, and for each that may have executions in common.
struct PartSet {
  uint32_t all = 0;
  uint32_t some = 0;

  PartSet operator|(PartSet other) const { return {all | other.all, some | other.some}; }
  PartSet operator&(PartSet other) const { return {all & other.all, some & other.some}; }
  bool operator==(const PartSet&) const = default;
};

class Lanes {
 public:
  static constexpr uint32_t kMost = 6;

  struct Lane {
    uint32_t parts = 0;  // bits
    Term term;
    bool is_rest = false;  // the sixth of more
    double weight = 1;
    uint32_t slot = 0;
  };

  // `asks`: are engines asked where the terms alone do not tell?
  explicit Lanes(PredicateTerms& terms, bool asks = true)
      : terms_(terms), asks_(asks), parts_{{Term::always(), 1, false}} {}

  // Splits all parts by a term; `probability`: how much of what reaches the split is true.
  void split(Term by, double probability);
  // No more splits: chooses the lanes. `features`: the sets that things of the region execute in, in the
  // order of the text.
  void finish(std::span<const Term> features);
  // Moves the lanes: element i is the lane that was at order[i].
  void reorder(std::span<const uint32_t> order);

  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }
  bool any() const { return lanes_.size() > 1; }

  // Of a set of the region's executions.
  PartSet of(Term term);
  std::string mask(PartSet set) const;
  std::string mask(Term term) { return any() ? mask(of(term)) : std::string(); }

 private:
  static constexpr uint32_t kMaxParts = 16;
  // Beyond so many splits engines are not asked: too much is possible to be worth it.
  static constexpr uint32_t kMaxAsked = 48;

  struct Part {
    Term term;
    double weight = 1;
    bool is_rest = false;
  };

  PredicateEngine* engine();
  bool excludes(Term a, Term b);
  void limit(size_t most);
  void choose_lanes();
  void order_by_text(std::span<const PartSet> features);

  PredicateTerms& terms_;
  bool asks_;
  std::unique_ptr<PredicateEngine> engine_;
  uint32_t num_splits_ = 0;
  std::unordered_map<uint32_t, bool> split_by_;  // by Term::raw() of the positive term
  std::vector<Part> parts_;
  std::vector<Lane> lanes_;
  std::unordered_map<uint32_t, PartSet> sets_;  // by Term::raw()
};

}  // namespace psi::explore
