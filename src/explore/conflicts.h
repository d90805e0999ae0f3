// Why two values of SSA form cannot share a register: where one is written while the other is live.
#pragma once

#include <string>

#include "explore/state.h"
#include "psi/ir/display_names.h"
#include "psi/ir/function.h"
#include "psi/live/interference.h"
#include "psi/pass/analyses.h"

namespace psi::explore {

class Conflicts {
 public:
  // Of a function in SSA form and its state.
  Conflicts(const Function& function, const State& state)
      : function_(function),
        state_(state),
        analyses_(function),
        names_(function),
        interference_(function, analyses_, FlowScope::Global) {}

  bool interfere(Reg a, Reg b) const { return interference_.interferes(a, b); }

  struct Place {
    InstId at;          // writes one of the two; none: not known
    std::string lanes;  // in which it does while the other is live
  };
  Place place(Reg a, Reg b);
  std::string name(Reg r) const {
    std::string out;
    names_.append(out, r);
    return out;
  }

 private:
  std::string lanes(InstId at, Reg live) const;

  const Function& function_;
  const State& state_;
  Analyses analyses_;
  DisplayNames names_;
  Interference interference_;
};

}  // namespace psi::explore
