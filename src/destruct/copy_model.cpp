#include "psi/destruct/copy_model.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cfg/critical_edges.h"
#include "destruct/coalesce.h"
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/psi_steps.h"
#include "live/segment_interference.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"

namespace psi {
namespace {

using namespace destruct;
using namespace live;

constexpr uint32_t kNone = UINT32_MAX;

class Modelling {
 public:
  Modelling(const Function& ssa, const DestructOptions& options, PsiCopies psis)
      : options_(options), psis_(psis), function_(ssa), analyses_(function_), copies_(function_) {}

  CopyModel run() {
    find_nodes();
    add_edges();
    find_interference();
    return std::move(model_);
  }

  Function run_with(std::span<const uint32_t> registers) {
    find_nodes();
    std::vector<Reg> first(model_.num_nodes);  // by register
    for (uint32_t r = 0; r < node_.size(); ++r) {
      if (node_[r] == kNone) continue;
      Reg& other = first[registers[node_[r]]];
      if (other) ties_.unite(other, Reg(r));
      other = Reg(r);
    }
    Counters counters;
    finish(function_, analyses_, ties_, copies_, counters);
    function_.compact();
    return std::move(function_);
  }

 private:
  void find_nodes() {
    remove_unreachable();
    isolate();
    unite_ties(function_, analyses_.get<Dominators>(), ties_);
    find_affinities();
    number_nodes();
  }

  void remove_unreachable() {
    if (analyses_.get<Order>().num_reachable() == function_.layout().size()) return;
    Counters counters;
    dce_unreachable(function_, analyses_, counters);
    analyses_.drop(Keeps::Nothing);
  }

  void isolate() {
    if (options_.split_critical) {
      Counters counters;
      cfg::split_critical_edges(function_, analyses_, counters);
    }
    isolate_partial_compares(function_, analyses_.get<Dominators>(), copies_);
    copies_.apply();
    analyses_.drop(Keeps::ControlFlow);
    if (psis_ == PsiCopies::AtOnce) {
      isolate_psis(function_, analyses_, options_.predicates);
    } else {
      Counters counters;
      normalize_psis(function_, analyses_, options_, counters);
      make_psi_webs(function_, analyses_, options_, counters);
    }
    isolate_phis(function_, analyses_, PhiCopies::ArgumentsAndResults, copies_);
    copies_.apply();
    analyses_.drop(Keeps::ControlFlow);
  }

  // Addresses of stack slots can be recomputed anywhere.
  void find_affinities() {
    std::vector<uint8_t> is_slot(function_.num_regs());
    for (BlockId b : analyses_.get<Dominators>().preorder()) {
      double frequency = analyses_.get<Frequencies>().of(b);
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        if (inst.op != Opcode::Slot && inst.op != Opcode::Mov) continue;
        Operand operand = std::as_const(function_).operands(id)[0];
        if (inst.op == Opcode::Slot) {
          is_slot[inst.results[0].index()] = operand.is_literal();
        } else if (operand.is_reg() && !is_slot[operand.reg().index()]) {
          affinities_.push_back({inst.results[0], operand.reg(), frequency});
        }
      }
    }
  }

  // Ties without affinities are ignored.
  void number_nodes() {
    node_.assign(function_.num_regs(), kNone);
    for (const Affinity& affinity : affinities_) {
      for (Reg end : {affinity.target, affinity.source}) {
        if (node_[end.index()] != kNone) continue;
        ties_.for_each_member(end, [&](Reg r) { node_[r.index()] = model_.num_nodes; });
        ++model_.num_nodes;
      }
    }
  }

  void add_edges() {
    for (const Affinity& affinity : affinities_) {
      uint32_t a = node_[affinity.target.index()], b = node_[affinity.source.index()];
      if (a != b) model_.edges.push_back({a, b, affinity.weight});
    }
  }

  void find_interference() {
    RangeConditions conditions(function_, analyses_, options_.predicates);
    LiveRanges ranges(function_, analyses_, copies_.parallel(), conditions,
                      registers_in_webs(function_, ties_, affinities_));
    SegmentInterference interference(ranges, conditions, options_.values);
    std::vector<uint32_t> order(ranges.all_segments().size());
    std::iota(order.begin(), order.end(), 0u);
    std::erase_if(order, [&](uint32_t p) { return node_[interference.reg(p).index()] == kNone; });
    auto chunk = [&](uint32_t p) { return ranges.all_segments()[p].chunk(); };
    std::sort(order.begin(), order.end(), [&](uint32_t p, uint32_t q) { return chunk(p) < chunk(q); });
    for (size_t i = 0; i < order.size(); ++i) {
      uint32_t a = node_[interference.reg(order[i]).index()];
      for (size_t k = i + 1; k < order.size() && chunk(order[k]) == chunk(order[i]); ++k) {
        uint32_t b = node_[interference.reg(order[k]).index()];
        if (a != b && interference.interfere(order[i], order[k])) model_.apart.push_back(std::minmax(a, b));
      }
    }
    std::sort(model_.apart.begin(), model_.apart.end());
    model_.apart.erase(std::unique(model_.apart.begin(), model_.apart.end()), model_.apart.end());
  }

  const DestructOptions& options_;
  PsiCopies psis_;
  Function function_;
  Analyses analyses_;
  Copies copies_;
  Webs ties_;
  std::vector<Affinity> affinities_;
  std::vector<uint32_t> node_;  // by Reg
  CopyModel model_;
};

}  // namespace

CopyModel copy_model(const Function& ssa, const DestructOptions& options, PsiCopies psis) {
  return Modelling(ssa, options, psis).run();
}

void destruct_as(Function& ssa, const DestructOptions& options, PsiCopies psis,
                 std::span<const uint32_t> registers) {
  ssa = Modelling(ssa, options, psis).run_with(registers);
}

double cut(const CopyModel& model, std::span<const uint32_t> registers) {
  double sum = 0;
  for (const CopyModel::Edge& edge : model.edges) {
    if (registers[edge.a] != registers[edge.b]) sum += edge.weight;
  }
  return sum;
}

}  // namespace psi
