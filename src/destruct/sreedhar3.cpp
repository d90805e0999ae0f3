// Sreedhar, Ju, Gillies, Santhanam: "Translating out of static single assignment form", 1999, method III:
// copies where live ranges interfere and live sets call for them. French's thesis, section 4.4.3.
//
//     @b: y = ..                            @b: y = ..
//         z = ..                                x = ..          z is not live at the end of @c, where
//         br p, @c, @d                          br p, @c, @d    y would be copied; y is live where z would:
//     @c: br @d                      ==>    @c: x = y           so y gets the copy
//     @d: x = phi [@c: y], [@b: z]              br @d
//
// If the webs of two registers of a phi interfere, one of them gets a copy if it is live where a copy of the
// other would be, as copying the other would not help. So there are four cases: the one, the other, both, and
// neither; in the last, one copy is enough, and registers in most such pairs are copied first. Afterwards a
// copy is removed if no edge but that of its own two registers joins the webs at its ends.
//
// Departs from the paper in that each argument is looked at by itself, though others may be the same
// register, and in that a copy at a block's end stands above the terminators, so that what these read is live
// there. Edges are not removed where a copy makes a live range shorter, as there.
//
// Time: the graph; for each phi its pairs of registers that interfere, times the size of their webs; for each
// copy the edges of one of its webs, that with fewer.
#include <algorithm>
#include <numeric>
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

class Sreedhar3 : public PhiRepair {
 public:
  using PhiRepair::PhiRepair;

 private:
  void choose(std::span<const Pair> pairs) override {
    unresolved_.clear();
    for (auto [i, j] : pairs) {
      Member &one = members_[i], &other = members_[j];
      bool one_stays = is_live_at(one, other), other_stays = is_live_at(other, one);
      one.needs_copy |= one_stays;
      other.needs_copy |= other_stays;
      if (!one_stays && !other_stays) unresolved_.emplace_back(i, j);
    }
    resolve();
  }

  // One of each pair, as few in all as the greedy choice finds.
  void resolve() {
    std::erase_if(unresolved_, [&](Pair pair) {
      return members_[pair.first].needs_copy || members_[pair.second].needs_copy;
    });
    first_.assign(members_.size() + 1, 0);
    for (auto [i, j] : unresolved_) ++first_[i + 1], ++first_[j + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    neighbours_.resize(2 * unresolved_.size());
    count_.assign(members_.size(), 0);
    for (auto [i, j] : unresolved_) {
      neighbours_[first_[i] + count_[i]++] = j;
      neighbours_[first_[j] + count_[j]++] = i;
    }
    for (;;) {
      auto most = static_cast<uint32_t>(std::max_element(count_.begin(), count_.end()) - count_.begin());
      if (count_[most] == 0) return;
      members_[most].needs_copy = true;
      count_[most] = 0;
      for (uint32_t i = first_[most]; i < first_[most + 1]; ++i) {
        if (!members_[neighbours_[i]].needs_copy) --count_[neighbours_[i]];
      }
    }
  }

  std::vector<Pair> unresolved_;
  std::vector<uint32_t> neighbours_;  // in unresolved pairs, those of each member together
  std::vector<uint32_t> first_;       // by member: where
  std::vector<uint32_t> count_;       // by member: how many are still unresolved
};

// Registers of a copy have the same value, so what is between the two of them does no harm.
bool may_unite(const Affinity& copy, const InterferenceGraph& graph, const Webs& webs, bool values) {
  bool is_target_smaller = graph.degree(copy.target) < graph.degree(copy.source);
  Reg small = is_target_smaller ? copy.target : copy.source;
  Reg large = webs.find(is_target_smaller ? copy.source : copy.target);
  Reg other = is_target_smaller ? copy.source : copy.target;
  bool fine = true;
  graph.for_each_edge(small, [&](Reg from, Reg to) {
    bool is_own = values && from == small && to == other;
    if (!is_own && webs.find(to) == large) fine = false;
  });
  return fine;
}

}  // namespace

void translate_sreedhar3(Translation& t) {
  StepClock clock(t.times);
  drop_dead_phis(t.function);
  t.analyses.drop(Keeps::ControlFlow);
  unite_ties(t.function, t.analyses.get<Dominators>(), t.webs, Ties::AllButPhis);
  std::vector<uint8_t> wanted =
      registers_in_webs(t.function, t.webs, collect_affinities(t.function, t.analyses));
  mark_registers_of_phis(t.function, wanted);
  InterferenceGraph graph = phi_interference(t, std::move(wanted));
  clock.end("interference graph");
  Sreedhar3(t, graph).run();
  clock.end("copies");
  for (const Affinity& copy : collect_affinities(t.function, t.analyses)) {
    if (t.webs.same(copy.target, copy.source)) continue;
    if (may_unite(copy, graph, t.webs, t.options.values)) graph.unite(copy.target, copy.source);
  }
  clock.end("coalescing");
  t.counters.add("liveness and interference bytes", graph.peak_memory());
}

}  // namespace psi::destruct
