// One walk over each block, backward, with what is live.

#include "psi/live/interference.h"

#include <algorithm>

#include "live/disjoint_symbols.h"

namespace psi {
namespace {

class Collector {
 public:
  Collector(const Function& function, Analyses& analyses, FlowScope scope)
      : function_(function),
        flow_(function, analyses, FlowProblem::Liveness, scope),
        higher_(function.num_regs()),
        num_tidy_(function.num_regs()) {}

  // For each register its neighbours of higher number, in order.
  std::vector<std::vector<Reg>> run() {
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
      define(insts[flow_.position() - 1]);
      flow_.advance();
    }
    for (InstId phi : insts.first(flow_.position())) define(phi);
    if (b != function_.entry()) return;
    for (Reg param : function_.params) define(param, PartitionGraph::root());
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
  PredicateFlow flow_;
  live::DisjointSymbols disjoint_;
  std::vector<std::vector<Reg>> higher_;  // by Reg
  std::vector<size_t> num_tidy_;          // by Reg: so many of them are in order
};

}  // namespace

Interference::Interference(const Function& function, Analyses& analyses, FlowScope scope)
    : start_(size_t{function.num_regs()} + 1) {
  std::vector<std::vector<Reg>> higher = Collector(function, analyses, scope).run();
  for (uint32_t i = 0; i < higher.size(); ++i) {
    start_[i + 1] += higher[i].size();
    for (Reg other : higher[i]) ++start_[other.index() + 1];
  }
  for (uint32_t i = 0; i < higher.size(); ++i) start_[i + 1] += start_[i];
  neighbours_.resize(start_.back());
  // Lower neighbours come first, as registers are visited in order.
  std::vector<uint64_t> next(start_.begin(), start_.end() - 1);
  for (uint32_t i = 0; i < higher.size(); ++i) {
    std::ranges::copy(higher[i], neighbours_.begin() + static_cast<ptrdiff_t>(next[i]));
    for (Reg other : higher[i]) neighbours_[next[other.index()]++] = Reg(i);
    std::vector<Reg>().swap(higher[i]);
  }
}

bool Interference::interferes(Reg a, Reg b) const {
  if (neighbours(b).size() < neighbours(a).size()) std::swap(a, b);
  return std::ranges::binary_search(neighbours(a), b);
}

}  // namespace psi
