#include "cfg/thread_jumps.h"

#include <algorithm>
#include <utility>

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::cfg {
namespace {

// The most entries of phis visited, and added, for one block.
constexpr size_t kMaxEntries = 64;
constexpr size_t kMaxAdded = 64;

// The value that comes from a block; none if it is not a predecessor.
Operand entry_from(const Function& function, InstId phi, BlockId from) {
  return value_from(phi_entries(function, phi), from);
}

}  // namespace

JumpThreading::JumpThreading(Function& function, Analyses& analyses, ThreadThrough through)
    : function_(function),
      order_(analyses.get<Order>()),
      is_header_(function.num_blocks()),
      only_decides_(function.num_blocks()),
      num_predecessors_(function.num_blocks()) {
  for (BlockId b : order_.reverse_post_order()) {
    for (BlockId to : analyses.get<Cfg>().successors(b)) {
      ++num_predecessors_[to.index()];
      if (order_.number(to) <= order_.number(b)) is_header_[to.index()] = 1;
    }
  }
  if (through == ThreadThrough::Empty) return;
  for (BlockId b : order_.reverse_post_order())
    only_decides_[b.index()] = only_decides(b, analyses.get<Uses>());
}

bool JumpThreading::thread(BlockId b) {
  targets_.clear();
  function_.for_each_successor(b, [&](BlockId target) { targets_.push_back(target); });
  std::ranges::sort(targets_);
  targets_.erase(std::ranges::unique(targets_).begin(), targets_.end());
  bool changed = false;
  for (BlockId empty : targets_) {
    BlockId to = empty == b ? BlockId() : leads_to(b, empty);
    if (!to || to == empty || !may_skip(b, empty, to)) continue;
    add_entries(b, empty, to);
    move_count(b, empty);
    drop_entries(b, empty);
    for (InstId id : function_.terminators(b)) {
      for (Operand& operand : function_.operands(id)) {
        if (operand.is_block() && operand.block() == empty) operand = Operand::block(to);
      }
    }
    ++threaded_;
    changed = true;
  }
  return changed;
}

BlockId JumpThreading::leads_to(BlockId from, BlockId b) const {
  if (function_.insts(b).size() != 1) return decided(from, b);
  const Inst& inst = function_.inst(function_.insts(b)[0]);
  return inst.is_jump() ? jump_target(function_, inst) : BlockId();
}

BlockId JumpThreading::decided(BlockId from, BlockId b) const {
  if (!only_decides_[b.index()]) return BlockId();
  BranchView branch = as_branch(function_, function_.insts(b).back());
  Operand condition = brought(from, b, branch.condition);
  return condition.is_literal() ? branch.target(condition == Operand::always()) : BlockId();
}

// Phis and a branch, and nothing reads the phis but the branch and the phis that it leads to.
bool JumpThreading::only_decides(BlockId b, const Uses& uses) const {
  std::span<const InstId> insts = function_.insts(b);
  const Inst& branch = function_.inst(insts.back());
  if (is_header_[b.index()] || !branch.is_branch() || branch.guard) return false;
  for (InstId id : insts.first(insts.size() - 1)) {
    const Inst& phi = function_.inst(id);
    if (!phi.is_phi() || phi_entries(function_, phi).size() > kMaxEntries) return false;
    for (const Use& use : uses.uses(phi.results[0])) {
      bool is_behind =
          function_.inst(use.inst).is_phi() && incoming_block(function_, use.inst, use.operand) == b;
      if (use.inst != insts.back() && !is_behind) return false;
    }
  }
  return true;
}

Operand JumpThreading::brought(BlockId from, BlockId through, Operand operand) const {
  if (!operand.is_reg()) return operand;
  for (InstId id : function_.insts(through)) {
    if (!function_.inst(id).is_phi()) break;
    if (function_.inst(id).results[0] == operand.reg()) return entry_from(function_, id, from);
  }
  return operand;
}

void JumpThreading::drop_entries(BlockId from, BlockId to) {
  if (function_.insts(to).size() == 1) return;
  for (InstId id : function_.insts(to)) {
    if (!function_.inst(id).is_phi()) {
      function_.set_edge_counts(id, {});
      break;
    }
    drop_phi_entries(function_, id, [&](BlockId b) { return b == from; });
  }
}

bool JumpThreading::may_skip(BlockId from, BlockId empty, BlockId to) const {
  // Preheaders and unique latches are kept.
  bool leads_back = order_.number(to) <= order_.number(empty);
  if (is_header_[to.index()] && (!leads_back || num_predecessors_[empty.index()] > 1)) return false;
  size_t phis = 0;
  for (InstId id : function_.insts(to)) {
    const Inst& phi = function_.inst(id);
    if (!phi.is_phi()) break;
    if (phi_entries(function_, phi).size() > kMaxEntries) return false;
    if (++phis * num_predecessors_[empty.index()] > kMaxAdded) return false;
    Operand now = entry_from(function_, id, from);
    if (!now.is_none() && now != brought(from, empty, entry_from(function_, id, empty))) return false;
  }
  return true;
}

void JumpThreading::add_entries(BlockId from, BlockId empty, BlockId to) {
  for (InstId id : function_.insts(to)) {
    if (!function_.inst(id).is_phi()) break;
    if (!entry_from(function_, id, from).is_none()) continue;
    std::span<const Operand> old = std::as_const(function_).operands(id);
    entries_.assign(old.begin(), old.end());
    add_phi_entry(entries_, from, brought(from, empty, entry_from(function_, id, empty)));
    function_.set_operands(id, entries_);
  }
}

// The empty block is executed less often by as much.
void JumpThreading::move_count(BlockId from, BlockId empty) {
  std::optional<uint64_t> count = function_.count(empty);
  if (!count) return;
  for (InstId id : function_.terminators(from)) {
    std::span<const uint64_t> counts = std::as_const(function_).edge_counts(id);
    uint32_t edge = 0;
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (!operand.is_block()) continue;
      if (operand.block() == empty && edge < counts.size()) *count -= std::min(*count, counts[edge]);
      ++edge;
    }
  }
  function_.set_count(empty, count);
}

}  // namespace psi::cfg
