#include "transform/thread_jumps.h"

#include <algorithm>
#include <utility>

namespace psi::transform {
namespace {

// So many entries of phis are looked at, and so many may be added, for one block.
constexpr size_t kMaxEntries = 64;
constexpr size_t kMaxAdded = 64;

// The value that comes from a block; none if it is not a predecessor.
Operand entry_from(const Function& function, InstId phi, BlockId from) {
  std::span<const Operand> pairs = function.operands(phi);
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i].block() == from) return pairs[i + 1];
  }
  return {};
}

}  // namespace

JumpThreading::JumpThreading(Function& function, Analyses& analyses)
    : function_(function),
      order_(analyses.order()),
      is_header_(function.num_blocks()),
      num_predecessors_(function.num_blocks()) {
  for (BlockId b : order_.reverse_post_order()) {
    for (BlockId to : analyses.cfg().successors(b)) {
      ++num_predecessors_[to.index()];
      if (order_.number(to) <= order_.number(b)) is_header_[to.index()] = 1;
    }
  }
}

bool JumpThreading::thread(BlockId b) {
  targets_.clear();
  function_.for_each_successor(b, [&](BlockId target) { targets_.push_back(target); });
  std::ranges::sort(targets_);
  targets_.erase(std::ranges::unique(targets_).begin(), targets_.end());
  bool changed = false;
  for (BlockId empty : targets_) {
    BlockId to = jumps_to(empty);
    if (!to || to == empty || empty == b || !may_skip(b, empty, to)) continue;
    add_entries(b, empty, to);
    move_count(b, empty);
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

BlockId JumpThreading::jumps_to(BlockId b) const {
  if (function_.insts(b).size() != 1) return BlockId();
  const Inst& inst = function_.inst(function_.insts(b)[0]);
  bool jumps = inst.op == Opcode::Br && inst.count == 1;
  return jumps ? function_.operands(inst)[0].block() : BlockId();
}

bool JumpThreading::may_skip(BlockId from, BlockId empty, BlockId to) const {
  // A block in front of a loop, and one where all ways back meet, are worth having.
  bool leads_back = order_.number(to) <= order_.number(empty);
  if (is_header_[to.index()] && (!leads_back || num_predecessors_[empty.index()] > 1)) return false;
  size_t phis = 0;
  for (InstId id : function_.insts(to)) {
    const Inst& phi = function_.inst(id);
    if (!phi.is_phi()) break;
    if (phi.count > 2 * kMaxEntries || ++phis * num_predecessors_[empty.index()] > kMaxAdded) return false;
    Operand now = entry_from(function_, id, from);
    if (!now.is_none() && now != entry_from(function_, id, empty)) return false;
  }
  return true;
}

void JumpThreading::add_entries(BlockId from, BlockId empty, BlockId to) {
  for (InstId id : function_.insts(to)) {
    if (!function_.inst(id).is_phi()) break;
    if (!entry_from(function_, id, from).is_none()) continue;
    std::span<const Operand> pairs = std::as_const(function_).operands(id);
    pairs_.assign(pairs.begin(), pairs.end());
    pairs_.insert(pairs_.end(), {Operand::block(from), entry_from(function_, id, empty)});
    function_.set_operands(id, pairs_);
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

}  // namespace psi::transform
