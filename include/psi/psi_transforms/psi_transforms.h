// Transformations of psis: inlining, reduction, projection, permutation, promotion (the SSA book, section
// 15.3). Each is a pass over all psis of a function, and can be applied to one psi.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "psi/pass/pass.h"

namespace psi {

struct PsiTransformOptions {
  // Compute conjunctions that have no name with an `and` before the psi.
  bool materialise = false;
  // The most arguments that inlining may give a psi.
  uint32_t max_arguments = 16;
};

// Between construction and finish() only this object may change the function, which is in SSA form. The psis
// must be in reachable blocks; their arguments are counted from 0.
//
// A transformation is done if it is provably legal: the psi keeps its value wherever it has one, no guard is
// read where it may be undef, and the domain of every value but the first contains its guard. Otherwise it is
// refused. Remarks say what was done or refused, and why, with an example where there is one.
class PsiTransforms {
 public:
  // Linear. `remarks` may be null.
  PsiTransforms(const Module& module, Function& function, Analyses& analyses, Counters& counters,
                Remarks* remarks = nullptr, const PsiTransformOptions& options = {});
  ~PsiTransforms();
  PsiTransforms(const PsiTransforms&) = delete;
  PsiTransforms& operator=(const PsiTransforms&) = delete;

  // Replaces argument `i`, which is a psi, by the arguments of that psi, under both guards.
  bool inline_argument(InstId psi, uint32_t i);
  // Drops arguments that are never taken, and merges neighbours with the same value; returns how many are
  // gone. The last one stays: a psi of one argument may be replaced by its value.
  uint32_t reduce(InstId psi);
  // An operand with the value of the psi wherever the guard is true: one of its arguments or a smaller psi.
  // Nothing if there is none simpler than the psi.
  std::optional<Operand> project(InstId psi, Guard guard);
  // Exchanges arguments `i` and `i + 1`.
  bool permute(InstId psi, uint32_t i);
  // Brings the arguments into the order of their definitions, as far as they may be exchanged; returns the
  // number of exchanges.
  uint32_t sort(InstId psi);
  // Gives argument `i` a guard that is true wherever its own is.
  bool promote(InstId psi, uint32_t i, Guard wider);

  // Inserts the new instructions into their blocks. Until then only the calls above know them. Call it once,
  // at the end; it drops all analyses but those of control flow.
  void finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The passes. Near-linear: in long psis only a limited number of neighbours is considered.
void psi_inline(PassContext& context);
void psi_reduce(PassContext& context);
void psi_project(PassContext& context);
void psi_permute(PassContext& context);
void psi_promote(PassContext& context);
void psi_lower(PassContext& context);
std::vector<PassOption> psi_inline_options();
std::vector<PassOption> psi_project_options();
std::vector<PassOption> psi_lower_options();

}  // namespace psi
