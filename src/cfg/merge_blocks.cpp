#include "cfg/merge_blocks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cfg/replaced.h"
#include "cfg/substitution.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::cfg {
namespace {

class BlockMerging {
 public:
  BlockMerging(Function& function, Analyses& analyses)
      : function_(function),
        analyses_(analyses),
        cfg_(analyses.get<Cfg>()),
        substitution_(function),
        merged_into_(function.num_blocks()) {}

  uint64_t run(Counters& counters) {
    for (BlockId b : function_.layout()) resolve_phis(b);
    for (BlockId b : function_.layout()) {
      if (!is_absorbed(b)) absorb_chain(b);
    }
    if (merged_ > 0) {
      rename_predecessors();
      std::vector<BlockId> layout(function_.layout().begin(), function_.layout().end());
      std::erase_if(layout, [&](BlockId b) { return bool(merged_into_[b.index()]); });
      function_.set_layout(std::move(layout));
      analyses_.drop(Keeps::Nothing);
    }
    if (!substitution_.empty()) {
      substitution_.apply(analyses_, counters);
      counters.add("phis of one entry removed", remove_replaced(function_, substitution_));
      analyses_.drop(Keeps::ControlFlow);
    }
    return merged_;
  }

 private:
  bool jumps(BlockId b) const {
    const Inst& last = function_.inst(function_.insts(b).back());
    return last.is_jump() && function_.terminators(b).size() == 1;
  }

  // Is it the only successor of its only predecessor?
  bool is_absorbed(BlockId b) const {
    return cfg_.predecessors(b).size() == 1 && cfg_.successors(cfg_.predecessors(b)[0]).size() == 1 &&
           (merged_into_[b.index()] || jumps(cfg_.predecessors(b)[0]));
  }

  void absorb_chain(BlockId head) {
    BlockId last = head;
    insts_.assign(function_.insts(head).begin(), function_.insts(head).end());
    while (jumps(last) && is_absorbed(cfg_.successors(last)[0])) {
      last = cfg_.successors(last)[0];
      merged_into_[last.index()] = head;
      ++merged_;
      insts_.pop_back();
      for (InstId id : function_.insts(last)) {
        if (function_.inst(id).is_phi()) become_copy(id);
        insts_.push_back(id);
      }
    }
    if (last != head) function_.set_insts(head, insts_);
  }

  // A psi that reads a phi may be unable to read the phi's value, whose domain may be smaller.
  bool has_full_domain(Operand value) const {
    if (!value.is_reg() || !analyses_.get<Uses>().definition(value.reg())) return true;
    const Inst& inst = function_.inst(analyses_.get<Uses>().definition(value.reg()));
    return !inst.guard && !inst.is_psi();
  }

  void resolve_phis(BlockId b) {
    for (InstId id : function_.insts(b)) {
      const Inst& phi = function_.inst(id);
      if (!phi.is_phi()) break;
      PhiEntries entries = phi_entries(function_, phi);
      Operand value = entries.front().value;
      if (entries.size() == 1 && has_full_domain(value)) substitution_.set(phi.results[0], value);
    }
  }

  void become_copy(InstId phi) {
    Operand value = phi_entries(function_, phi).front().value;
    function_.inst(phi).op = Opcode::Mov;
    function_.set_operands(phi, std::array{value});
  }

  void rename_predecessors() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).is_phi()) break;
        for (MutablePhiEntry entry : mutable_phi_entries(function_, id)) {
          if (BlockId head = merged_into_[entry.block().index()]) entry.set_block(head);
        }
      }
    }
  }

  Function& function_;
  Analyses& analyses_;
  const Cfg& cfg_;
  Substitution substitution_;
  std::vector<BlockId> merged_into_;  // by BlockId; none: stays
  std::vector<InstId> insts_;
  uint64_t merged_ = 0;
};

}  // namespace

uint64_t merge_blocks(Function& function, Analyses& analyses, Counters& counters) {
  return BlockMerging(function, analyses).run(counters);
}

uint64_t merge_returns(Function& function) {
  std::unordered_map<uint32_t, BlockId> first;  // by what is returned; only ever looked up
  std::vector<BlockId> other(function.num_blocks());
  uint64_t merged = 0;
  for (BlockId b : function.layout()) {
    const Inst& inst = function.inst(function.insts(b)[0]);
    if (inst.op != Opcode::Ret || inst.guard || b == function.entry()) continue;
    Operand value = returned(function, inst);
    auto [at, is_new] = first.try_emplace(value.raw(), b);
    if (is_new) continue;
    other[b.index()] = at->second;
    ++merged;
    std::optional<uint64_t> count = function.count(b), sum = function.count(at->second);
    if (count && sum) function.set_count(at->second, *count + *sum);
  }
  if (merged == 0) return 0;
  for (BlockId b : function.layout()) {
    for (InstId id : function.terminators(b)) {
      for (Operand& operand : function.operands(id)) {
        if (operand.is_block() && other[operand.block().index()]) {
          operand = Operand::block(other[operand.block().index()]);
        }
      }
    }
  }
  return merged;
}

}  // namespace psi::cfg
