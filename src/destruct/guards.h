// What guards are as predicates, and where they are sure to be defined.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "destruct/points.h"
#include "psi/analyses.h"
#include "psi/function.h"
#include "psi/predicate_engine.h"
#include "psi/predicates.h"

namespace psi::destruction {

// The union of the guards of several definitions. Of too many nothing is kept: where they are written may be
// everywhere.
class WrittenTerm {
 public:
  WrittenTerm() = default;
  explicit WrittenTerm(Term term) : term_(term), parts_(1) {}

  // No less than where they are written; just that if it is known.
  Term term() const { return term_; }
  bool is_known() const { return parts_ <= kMaxParts; }
  void add(const WrittenTerm& other, PredicateTerms& terms);

 private:
  static constexpr uint32_t kMaxParts = 16;

  Term term_ = Term::never();
  uint32_t parts_ = 0;
};

class Guards {
 public:
  // `aware`: ask the query system what the registers stand for; otherwise they are names.
  Guards(const Function& function, Analyses& analyses, bool aware);

  PredicateTerms& terms() { return predicates_ ? predicates_->terms() : names_; }
  Term term(Guard guard);
  // Known to be so.
  bool is_within(Term inner, Term outer);
  bool is_within(const WrittenTerm& inner, Term outer) { return is_within(inner.term(), outer); }
  bool is_within(Term inner, const WrittenTerm& outer) {
    return outer.is_known() && is_within(inner, outer.term());
  }
  bool are_disjoint(Term a, Term b);

 private:
  std::unique_ptr<Predicates> predicates_;  // if aware
  PredicateTerms names_;                    // otherwise
  std::unique_ptr<PredicateEngine> engine_;
};

// To read an undef guard is undefined behaviour, so a guard that an instruction has read, or a branch, is
// defined from there on. A psi may not read all of its guards, so it tells nothing of them.
class GuardReads {
 public:
  GuardReads(const Function& function, Analyses& analyses, const Points& points)
      : function_(function), dominators_(analyses.dominators()), uses_(analyses.uses()), points_(points) {}

  bool is_read_above(Reg predicate, Point point) { return find(predicate, point).has_value(); }
  // It is, or it is computed from predicates that are.
  bool is_sure(Reg predicate, Point point);
  // The highest gap, from `gap` down to `end`, in which it is sure; nothing if there is none.
  std::optional<Point> first_gap(Reg predicate, Point gap, Point end);

 private:
  // How many predicates are looked at for one.
  static constexpr size_t kMaxOperands = 8;

  std::optional<Point> find(Reg predicate, Point point);
  const std::vector<Point>& reads(Reg predicate);
  bool is_executed(const Use& use) const;
  bool is_earlier(Point a, Point b) const;

  const Function& function_;
  const Dominators& dominators_;
  const Uses& uses_;
  const Points& points_;
  // None of them above another, in preorder of the dominator tree.
  std::unordered_map<Reg, std::vector<Point>> reads_;
  std::vector<Reg> operands_;
};

}  // namespace psi::destruction
