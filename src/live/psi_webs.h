// Webs of registers of psis that may be merged: no member destroys the value of another.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "analysis/common_ancestor.h"
#include "live/psi_chains.h"
#include "live/psi_liveness.h"
#include "psi/analysis/dominators.h"

namespace psi::live {

// What keeps two registers from interfering where one is written and the other live.
struct WebRules {
  bool predicates = true;  // one is written only where the other is not needed
  bool values = true;      // both hold the same value
};

// A psi writes nothing, so only the definitions of other registers can destroy what one holds: its own value,
// or what it carries. They do not if they are executed only where that is not needed, or write the same.
//
// Members are kept in preorder of the dominator tree. If one is live where another is defined, the definition
// of the first dominates that of the second, and it is live where all members between them are defined. So
// from a definition upward only the nearest members have to be looked at, as long as those hide others.
// Uniting costs the size of the smaller web, and moves what lies behind its members in the larger.
class PsiWebs {
 public:
  PsiWebs(const Function& function, Analyses& analyses, PsiChains& chains, PsiLiveness& liveness,
          GuardFacts& guards, WebRules rules);

  bool are_united(Reg a, Reg b) { return web(a) == web(b); }
  bool do_clash(Reg a, Reg b);
  // A register of b's web that interferes with r, of any web; none if there is none.
  Reg find_clash(Reg r, Reg b) {
    web(r);
    return clash(r, webs_[web(b)].members);
  }
  // Is a member of the web of r live below the point?
  bool is_any_live_below(Reg r, Point point);

  void unite(Reg a, Reg b);
  // Undoes all unions since the last undo() or commit().
  void undo();
  void commit();

  // By Reg, the first of its web.
  std::vector<Reg> representatives(uint32_t num_regs);

 private:
  struct Web {
    std::vector<Reg> members;
    uint32_t parent = 0;
  };
  struct Union {
    uint32_t small;
    uint32_t large;
  };

  uint32_t web(Reg r);
  bool is_earlier(Reg a, Reg b) const;
  Reg clash(Reg r, const std::vector<Reg>& others);
  Reg clash_below(Reg r, const std::vector<Reg>& others);
  Reg clash_above(Reg r, const std::vector<Reg>& others);
  bool is_live_below(Reg r, Point point);
  bool is_live_at(Reg r, Reg definition);
  bool destroys(Reg writer, Reg r);
  template <class Test>
  bool destroys_at(Point point, Reg writer, Reg r, Content content, Test writes_same);
  BlockId common_dominator(BlockId a, BlockId b);

  const Function& function_;
  const Dominators& dominators_;
  PsiChains& chains_;
  PsiLiveness& liveness_;
  GuardFacts& guards_;
  WebRules rules_;
  std::vector<uint32_t> web_of_;  // by Reg: one above its web, 0 if it was never asked for
  std::vector<Web> webs_;
  std::vector<uint8_t> is_crowded_;  // by Reg: another member may be live where it is defined
  std::vector<Union> unions_;
  std::vector<Reg> behind_;  // while uniting
  std::pmr::monotonic_buffer_resource memory_;
  std::optional<analysis::CommonAncestor> common_ancestor_;
};

}  // namespace psi::live
