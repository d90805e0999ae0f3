// Where the registers of psis are live, for their own value and for what they carry (psi_chains.h).
//
// A link is read where it hands over to the next (de Ferriere 2007, section 4.4; the SSA book, definition 15)
// and all others of its chain are not read by the psi at all.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "live/psi_chains.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"
#include "psi/live/liveness.h"
#include "psi/pass/analyses.h"

namespace psi::live {

// One register at a time, by walking back from its reads; results are cached until the register is reported
// changed. Takes memory for the blocks where the queried registers are live.
class PsiLiveness {
 public:
  PsiLiveness(const Function& function, Analyses& analyses, const PsiChains& chains);

  // Is it read further down, before it is redefined?
  bool is_live_below(Point point, Reg r, Content content);
  // Is it, in either way, anywhere but in the block of its definition, or in that below the point?
  bool may_be_live_below(Point point, Reg r);
  void forget(Reg r);

 private:
  struct Part {
    BlockId block;
    bool in = false;
    bool out = false;
    uint64_t end_of_reads = 0;  // the key of the last point that reads it
  };

  const Part* find(BlockId b, Reg r, Content content);
  void explore(Reg r, Content content);
  template <class Visit>
  void for_each_read(Reg r, Content content, Visit visit) const;

  const Function& function_;
  const Dominators& dominators_;
  const Uses& uses_;
  const PsiChains& chains_;
  uint32_t num_old_regs_;
  LiveParts<Part> parts_;
  std::array<std::vector<LiveParts<Part>::Range>, 2> ranges_;  // by content and Reg
};

}  // namespace psi::live
