#include "transform/merge_blocks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transform/replaced.h"
#include "transform/substitution.h"

namespace psi::transform {
namespace {

class BlockMerging {
 public:
  BlockMerging(Function& function, Analyses& analyses)
      : function_(function),
        analyses_(analyses),
        cfg_(analyses.cfg()),
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
    return last.op == Opcode::Br && last.count == 1 && function_.terminators(b).size() == 1;
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

  // What a psi reads of a phi it may not be able to read of the phi's value, which may have a smaller domain.
  bool has_full_domain(Operand value) const {
    if (!value.is_reg() || !analyses_.uses().definition(value.reg())) return true;
    const Inst& inst = function_.inst(analyses_.uses().definition(value.reg()));
    return !inst.guard && !inst.is_psi();
  }

  void resolve_phis(BlockId b) {
    for (InstId id : function_.insts(b)) {
      const Inst& phi = function_.inst(id);
      if (!phi.is_phi()) break;
      Operand value = std::as_const(function_).operands(id)[1];
      if (phi.count == 2 && has_full_domain(value)) substitution_.set(phi.results[0], value);
    }
  }

  void become_copy(InstId phi) {
    Operand value = std::as_const(function_).operands(phi)[1];
    function_.inst(phi).op = Opcode::Mov;
    function_.set_operands(phi, std::array{value});
  }

  void rename_predecessors() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).is_phi()) break;
        std::span<Operand> pairs = function_.operands(id);
        for (size_t i = 0; i < pairs.size(); i += 2) {
          if (BlockId head = merged_into_[pairs[i].block().index()]) pairs[i] = Operand::block(head);
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
    Operand value = inst.count > 0 ? std::as_const(function).operands(inst)[0] : Operand();
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

}  // namespace psi::transform
