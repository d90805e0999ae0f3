// One walk over each block, backward, with what is live.
#include <algorithm>

#include "live/disjoint_symbols.h"
#include "live/interfering_pairs.h"

namespace psi::live {
namespace {

class Collector {
 public:
  Collector(const Function& function, Analyses& analyses, FlowScope scope, const ParallelCopies& copies)
      : function_(function),
        copies_(copies),
        flow_(function, analyses, FlowProblem::Liveness, scope),
        higher_(function.num_regs()),
        num_tidy_(function.num_regs()) {}

  InterferingPairs run() {
    for (BlockId b : function_.layout()) walk(b);
    for (uint32_t i = 0; i < higher_.size(); ++i) tidy(i);
    return std::move(higher_);
  }

 private:
  void walk(BlockId b) {
    std::span<const InstId> insts = function_.insts(b);
    flow_.enter(b);
    disjoint_.compare_with(Symbol(), flow_.graph());
    while (flow_.position() > 0 && !function_.inst(insts[flow_.position() - 1]).is_phi()) {
      uint32_t first = first_of_group(insts, flow_.position() - 1);
      std::span<const InstId> group = insts.subspan(first, flow_.position() - first);
      for (InstId id : group) define(id);
      define_together(group);
      while (flow_.position() > first) flow_.advance();
    }
    for (InstId phi : insts.first(flow_.position())) define(phi);
    if (b != function_.entry()) return;
    for (Reg param : function_.params) define(param, PartitionGraph::root());
  }

  // Of the copies that write together.
  uint32_t first_of_group(std::span<const InstId> insts, uint32_t last) const {
    Together together = copies_.together(insts[last]);
    if (together == Together::No) return last;
    while (last > 0 && copies_.together(insts[last - 1]) == together) --last;
    return last;
  }
  void define_together(std::span<const InstId> group) {
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t k = i + 1; k < group.size(); ++k) {
        add(function_.inst(group[i]).results[0], function_.inst(group[k]).results[0]);
      }
    }
  }

  void define(InstId id) {
    const Inst& inst = function_.inst(id);
    for (uint32_t i = 0; i < inst.num_results(); ++i) define(inst.results[i], flow_.written(id, i));
    if (inst.num_results() == 2) add(inst.results[0], inst.results[1]);
  }

  void define(Reg r, Symbol where) {
    disjoint_.compare_with(where, flow_.graph());
    for (const FlowState::Entry& live : flow_.state().entries()) {
      if (live.item != r.index() && !disjoint_.is_disjoint_from(live.where)) add(r, Reg(live.item));
    }
  }

  void add(Reg a, Reg b) {
    uint32_t low = std::min(a, b).index();
    higher_[low].push_back(std::max(a, b));
    if (higher_[low].size() >= 2 * num_tidy_[low] + kRoom) tidy(low);
  }

  // Neighbours are found repeatedly.
  void tidy(uint32_t low) {
    std::vector<Reg>& list = higher_[low];
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    num_tidy_[low] = list.size();
  }

  static constexpr size_t kRoom = 32;

  const Function& function_;
  const ParallelCopies& copies_;
  PredicateFlow flow_;
  DisjointSymbols disjoint_;
  InterferingPairs higher_;
  std::vector<size_t> num_tidy_;  // by Reg: so many of them are in order
};

}  // namespace

InterferingPairs pairs_by_flow(const Function& function, Analyses& analyses, FlowScope scope,
                               const ParallelCopies& copies) {
  return Collector(function, analyses, scope, copies).run();
}

}  // namespace psi::live
