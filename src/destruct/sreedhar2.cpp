// Sreedhar, Ju, Gillies, Santhanam: "Translating out of static single assignment form", 1999, method II:
// copies where live ranges interfere. French's thesis, section 4.4.2.
//
//     @b: y = ..                            @b: y = ..
//         z = ..                                z = ..
//         br p, @c, @d                          x = z           of y and z, which are live together,
//     @c: br @d                      ==>        br p, @c, @d    both get a copy
//     @d: x = phi [@c: y], [@b: z]          @c: x = y
//                                               br @d
//
// Where an interference graph says that the webs of two registers of a phi interfere, both get a copy.
//
// Departs from the thesis in that webs are compared, not only the two registers: without, a phi of phis
// would be wrong. A copy at a block's end stands above the terminators, so what these read is live there;
// the papers think of it below.
//
// Time: the graph; live registers and edges of the registers that are copied. Removes no copy again.
#include <utility>

#include "destruct/coalesce.h"
#include "destruct/finish.h"
#include "destruct/methods.h"
#include "destruct/phi_interference.h"
#include "destruct/phi_repair.h"
#include "destruct/phis.h"
#include "psi/analysis/dominators.h"

namespace psi::destruct {

using namespace live;
namespace {

class Sreedhar2 : public PhiRepair {
 public:
  using PhiRepair::PhiRepair;

 private:
  void choose(std::span<const Pair> pairs) override {
    for (auto [i, j] : pairs) members_[i].needs_copy = members_[j].needs_copy = true;
  }
};

}  // namespace

void translate_sreedhar2(Translation& t) {
  StepClock clock(t.times);
  drop_dead_phis(t.function);
  t.analyses.drop(Keeps::ControlFlow);
  unite_ties(t.function, t.analyses.get<Dominators>(), t.webs, Ties::AllButPhis);
  std::vector<uint8_t> wanted = registers_in_webs(t.function, t.webs, {});
  mark_registers_of_phis(t.function, wanted);
  InterferenceGraph graph = phi_interference(t, std::move(wanted));
  clock.end("interference graph");
  Sreedhar2(t, graph).run();
  clock.end("copies");
  t.counters.add("liveness and interference bytes", graph.peak_memory());
}

}  // namespace psi::destruct
