#include "cfg/critical_edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/analysis/frequencies.h"

namespace psi::cfg {
namespace {

class EdgeSplitter {
 public:
  EdgeSplitter(Function& function, Analyses& analyses)
      : function_(function), cfg_(analyses.get<Cfg>()), frequencies_(analyses.get<Frequencies>()) {}

  uint64_t run() {
    std::vector<BlockId> old(function_.layout().begin(), function_.layout().end());
    for (BlockId b : old) {
      layout_.push_back(b);
      if (num_distinct_successors(b) > 1) split_edges_of(b);
    }
    if (num_split_ > 0) function_.set_layout(std::move(layout_));
    return num_split_;
  }

 private:
  uint32_t num_distinct_successors(BlockId b) {
    seen_.assign(cfg_.successors(b).begin(), cfg_.successors(b).end());
    std::sort(seen_.begin(), seen_.end());
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    return static_cast<uint32_t>(seen_.size());
  }

  bool has_phis(BlockId b) const { return function_.inst(function_.insts(b).front()).is_phi(); }

  void split_edges_of(BlockId from) {
    // A copy: num_distinct_successors left the targets here, each once.
    std::vector<BlockId> targets = seen_;
    for (BlockId to : targets) {
      if (!has_phis(to) || cfg_.num_distinct_predecessors(to) < 2) continue;
      BlockId between = function_.add_block();
      Inst br;
      br.op = Opcode::Br;
      function_.append(between, function_.add_inst(br, std::array{Operand::block(to)}));
      set_count(from, to, between);
      std::vector<InstId> terminators(function_.terminators(from).begin(), function_.terminators(from).end());
      for (InstId id : terminators) {
        for (Operand& operand : function_.operands(id)) {
          if (operand == Operand::block(to)) operand = Operand::block(between);
        }
      }
      for (InstId id : function_.insts(to)) {
        if (!function_.inst(id).is_phi()) break;
        for (Operand& operand : function_.operands(id)) {
          if (operand == Operand::block(from)) operand = Operand::block(between);
        }
      }
      layout_.push_back(between);
      ++num_split_;
    }
  }

  // Where blocks are counted, so is this one: as often as its edges were taken, or are thought to be.
  void set_count(BlockId from, BlockId to, BlockId between) {
    if (!function_.count(from)) return;
    double probability = 0;
    std::span<const BlockId> successors = cfg_.successors(from);
    for (uint32_t i = 0; i < successors.size(); ++i) {
      if (successors[i] == to) probability += frequencies_.probability({from, i});
    }
    double count = probability * static_cast<double>(*function_.count(from));
    function_.set_count(between, static_cast<uint64_t>(std::llround(count)));
  }

  Function& function_;
  const Cfg& cfg_;
  const Frequencies& frequencies_;
  std::vector<BlockId> layout_;
  std::vector<BlockId> seen_;
  uint64_t num_split_ = 0;
};

}  // namespace

void split_critical_edges(Function& function, Analyses& analyses, Counters& counters) {
  uint64_t split = EdgeSplitter(function, analyses).run();
  counters.add("edges split", split);
  if (split > 0) analyses.drop(Keeps::Nothing);
}

}  // namespace psi::cfg
