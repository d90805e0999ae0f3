// Finds and repairs interference between the arguments of psis.
#pragma once

#include <cstdint>
#include <vector>

#include "live/guard_reads.h"
#include "live/guard_union.h"
#include "live/points.h"
#include "live/psi_chains.h"
#include "live/psi_liveness.h"
#include "live/psi_webs.h"
#include "psi/destruct/destruct.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::destruct {

// Where the copy of a link goes.
enum class CopyPlace : uint8_t {
  AboveNext,        // just above where the next one begins
  BelowDefinition,  // just below its own definition
};

// Processes psis one after the other, inner ones first, and the arguments of each from right to left. An
// argument or a copy of it joins the web of the psi. The copy may clash with the web of an argument further
// right: then that one is copied as well, and the psi is processed again. In loops even copies may clash with
// each other; then all of them are placed just above the psi, where they do not.
class PsiRepair {
 public:
  PsiRepair(Function& function, Analyses& analyses, const DestructOptions& options);

  const live::PsiChains& chains() const { return chains_; }
  live::PsiWebs& webs() { return webs_; }
  // `must_copy`: links that always need a copy.
  void repair(uint32_t chain, CopyPlace place, std::vector<uint8_t> must_copy);
  // Copies the result.
  void copy_result(uint32_t chain);
  // When all are done.
  std::vector<Reg> finish(Counters& counters);

 private:
  bool attempt(const live::Chain& chain, CopyPlace place, std::vector<uint8_t>& must_copy);
  bool joins(uint32_t link, Reg result);
  bool try_copy(uint32_t link, live::Point point, Reg result);
  bool add_copy(uint32_t link, CopyPlace place, Reg result);
  Reg plan_copy(uint32_t link, live::Point point, live::Point read);
  Guard copy_guard(uint32_t link);
  bool is_sure(uint32_t link, Guard guard, live::Point gap);
  void undo_copies(const live::Chain& chain);
  void set_end(uint32_t link, live::Point end);
  void isolate(const live::Chain& chain);
  void insert_copies(const live::Chain& chain);

  Function& function_;
  live::Points points_;
  GuardFacts& guards_;
  live::GuardReads reads_;
  live::PsiChains chains_;
  live::PsiLiveness liveness_;
  live::PsiWebs webs_;
  std::vector<Reg> clashes_;  // what the copy at hand could not be with
  uint64_t copies_ = 0, frozen_ = 0;
};

// Repairs a chain as de Ferriere 2007 does.
void repair_2007(PsiRepair& repair, uint32_t chain, const DestructOptions& options);

// A copy for every argument of every psi, just above it.
std::vector<Reg> copy_psi_arguments(Function& function, Analyses& analyses, Counters& counters);

}  // namespace psi::destruct
