// Transformations of psis: inlining, reduction, projection, permutation, promotion (the SSA book, section
// 15.3). Each is a pass over all psis of a function, and can be done to one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "psi/pass.h"

namespace psi {

struct PsiTransformOptions {
  // May compute predicates, with an `and` in front of the psi, where the conjunction of two has no name.
  bool materialise = false;
  // A psi does not get more arguments than this by inlining.
  uint32_t max_arguments = 16;
};

// The function, in SSA form, must stay as it is found but for what is done through this object. The psis must
// be in blocks that can be reached; their arguments are counted from 0.
//
// Each transformation is done if it is known to be legal: the value of the psi stays the same wherever it has
// one, no guard is read where it may be undef, and every guard but the first lies within the domain of its
// value. What is not known is refused. Remarks say what was done, and of what was refused why, by an example
// where there is one.
class PsiTransforms {
 public:
  // Linear. `remarks` may be null.
  PsiTransforms(const Module& module, Function& function, Analyses& analyses, Counters& counters,
                Remarks* remarks = nullptr, const PsiTransformOptions& options = {});
  ~PsiTransforms();
  PsiTransforms(const PsiTransforms&) = delete;
  PsiTransforms& operator=(const PsiTransforms&) = delete;

  // Argument `i`, which is a psi, gives way to the arguments of that psi, under both guards.
  bool inline_argument(InstId psi, uint32_t i);
  // Drops the arguments that are never taken, and makes one of neighbours with the same value; how many are
  // gone. The last one stays: a psi of one argument may be replaced by its value.
  uint32_t reduce(InstId psi);
  // What has the value of the psi wherever the guard is true: one of its arguments or a smaller psi. Nothing
  // if there is nothing simpler than the psi itself.
  std::optional<Operand> project(InstId psi, Guard guard);
  // Exchanges arguments `i` and `i + 1`.
  bool permute(InstId psi, uint32_t i);
  // Brings the arguments into the order of their definitions, as far as they may be exchanged; how often two
  // were.
  uint32_t sort(InstId psi);
  // Gives argument `i` a guard that is true wherever its own is.
  bool promote(InstId psi, uint32_t i, Guard wider);

  // Puts the instructions that were made into their blocks. Until then only the calls above know them. To be
  // called once, at the end; analyses are dropped but for those of control flow.
  void finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The passes. Near-linear: in long psis a limited number of neighbours is looked at.
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
