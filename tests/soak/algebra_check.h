// Predicate expressions against the truth.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "program_truth.h"
#include "testing/random.h"

namespace psi::soak {

struct AlgebraScore {
  enum Operation : uint8_t { LubSum, LubDiff, GlbDiff, IsDisjoint, IsSubset };
  static constexpr std::array<std::string_view, 5> kNames = {"lub_sum", "lub_diff", "glb_diff", "is_disjoint",
                                                             "is_subset"};
  struct Row {
    uint64_t results = 0;  // of questions: true statements
    uint64_t exact = 0;    // of these; of questions: known
  };
  std::array<Row, kNames.size()> rows;
};

// Random expressions over the symbols of the predicates. What is wrong is said; nothing if all is right.
std::string check_algebra(std::span<const KnownPredicate> known, Predicates& predicates, TermTruth& truth,
                          Random& random, AlgebraScore& score);

}  // namespace psi::soak
