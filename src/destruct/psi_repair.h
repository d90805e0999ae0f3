// How interference between the arguments of psis is found and repaired.
#pragma once

#include <cstdint>
#include <vector>

#include "destruct/guards.h"
#include "destruct/points.h"
#include "destruct/psi_chains.h"
#include "destruct/psi_liveness.h"
#include "destruct/psi_webs.h"
#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/destruct.h"

namespace psi::destruction {

// Where the copy of a link goes.
enum class CopyPlace : uint8_t {
  AboveNext,        // just above where the next one begins
  BelowDefinition,  // just below its own definition
};

// Psis one after the other, inner ones first; of each the arguments from right to left. An argument joins the
// web of the psi, or else a copy of it does. That may clash, too, with a web that an argument further right
// has brought along: then that one is copied as well, and the psi is done again. In loops even copies may
// clash with each other, for want of a place; then all of them stand just above the psi, where they do not.
class PsiRepair {
 public:
  PsiRepair(Function& function, Analyses& analyses, const DestructOptions& options);

  const PsiChains& chains() const { return chains_; }
  PsiWebs& webs() { return webs_; }
  // `must_copy` says which links need a copy in any case.
  void repair(uint32_t chain, CopyPlace place, std::vector<uint8_t> must_copy);
  // Gives the result a copy of its own.
  void copy_result(uint32_t chain);
  // When all are done.
  std::vector<Reg> finish(Counters& counters);

 private:
  bool attempt(const Chain& chain, CopyPlace place, std::vector<uint8_t>& must_copy);
  bool joins(uint32_t link, Reg result);
  bool try_copy(uint32_t link, Point point, Reg result);
  bool add_copy(uint32_t link, CopyPlace place, Reg result);
  Reg plan_copy(uint32_t link, Point point, Point read);
  Guard copy_guard(uint32_t link);
  bool is_sure(uint32_t link, Guard guard, Point gap);
  void take_back(const Chain& chain);
  void set_end(uint32_t link, Point end);
  void isolate(const Chain& chain);
  void insert_copies(const Chain& chain);

  Function& function_;
  Points points_;
  Guards guards_;
  GuardReads reads_;
  PsiChains chains_;
  PsiLiveness liveness_;
  PsiWebs webs_;
  std::vector<Reg> clashes_;  // what the copy at hand could not be with
  uint64_t copies_ = 0, frozen_ = 0;
};

// Repairs a chain as de Ferriere 2007 does.
void repair_2007(PsiRepair& repair, uint32_t chain, const DestructOptions& options);

// A copy for every argument of every psi, just above it.
std::vector<Reg> copy_psi_arguments(Function& function, Analyses& analyses, Counters& counters);

}  // namespace psi::destruction
