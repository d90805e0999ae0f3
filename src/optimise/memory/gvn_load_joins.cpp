// Loads whose value arrives by several paths.
//
// The blocks of the search are nodes. Iteration finds the value at the start of each: the common value of its
// predecessors, or a phi where they differ (the necessary phis, as in M. Braun et al., "Simple and Efficient
// Construction of SSA Form", CC 2013, but all at once, with the load itself as its own placeholder).
#include <algorithm>
#include <array>
#include <utility>

#include "optimise/memory/gvn_loads.h"
#include "psi/ir/views.h"

namespace psi::optimise {

Operand GvnLoads::find_at_join(Wanted wanted, BlockId join) {
  wanted.is_straight = false;
  if (!explore(wanted, join)) return {};
  if (blocked_ && !may_insert_load(wanted, join)) return {};
  if (!solve(wanted)) return {};
  Reg result = function_.inst(wanted.load).results[0];
  Operand entry = nodes_[0].entry;
  if (!entry.is_block()) {
    bool is_new = entry != Operand::reg(result);
    return is_new && values_.may_replace(result, entry) ? entry : Operand();
  }
  if (!blocked_) return make_phis(wanted, join);
  // One load inserted for one removed: additional phis would make the code longer.
  if (entry.block() != blocked_) return {};
  Inst load = function_.inst(wanted.load);
  Operand pointer = pointer_at_end(wanted, blocked_, join);
  InstId id = function_.add_inst(load, std::array{pointer});
  function_.copy_place(wanted.load, id);
  added_.add_at_end(blocked_, id);
  return Operand::reg(values_.add(blocked_, id, load.type));
}

// Visits the blocks above the join until the bytes are known. False if the search limit is reached.
bool GvnLoads::explore(const Wanted& wanted, BlockId join) {
  ++search_;
  blocked_ = BlockId();
  nodes_.assign(1, {join, wanted.bytes.address, {}, {}, false});
  bool is_lost = false;
  if (!go_up(join, wanted.bytes.address, is_lost) || is_lost) return false;
  Wanted there = wanted;
  for (size_t i = 1; i < nodes_.size(); ++i) {
    BlockId b = nodes_[i].block;
    there.bytes.address = nodes_[i].address;
    Operand value;
    Step step = scan(accesses_.of(b), there, value);
    if (!values_.was_visited(b)) look_ahead(b);
    if (step == Step::Found) {
      if (guards_.any() && !guards_.contains(guards_.domain(value), Term::always())) return false;
      // A value of another type needs a conversion.
      if (function_.type(value) != wanted.type) return false;
      nodes_[i].value = value;
      continue;
    }
    bool is_blocked = step == Step::Blocked || b == function_.entry();
    if (!is_blocked && !go_up(b, there.bytes.address, is_blocked)) return false;
    nodes_[i].is_blocked = is_blocked;
    if (!is_blocked) continue;
    if (blocked_) return false;
    blocked_ = b;
  }
  return true;
}

// Visits the accesses of a block before the replacements of their operands are known.
void GvnLoads::look_ahead(BlockId b) {
  if (is_expected_[b.index()]) return;
  is_expected_[b.index()] = 1;
  std::span<const InstId> accesses = accesses_.of(b);
  if (accesses.size() > kMaxSteps) accesses = accesses.last(kMaxSteps);
  for (InstId access : accesses) {
    const Inst& inst = function_.inst(access);
    if (inst.results[0]) values_.expect(Operand::reg(inst.results[0]));
    for (Operand operand : std::as_const(function_).operands(access)) {
      values_.expect(operand);
      Address address = alias_.address(operand);
      values_.expect(address.base);
      values_.expect(address.index);
    }
  }
}

// Adds the predecessors of a block. `is_lost`: the address is not known above it.
bool GvnLoads::go_up(BlockId b, Address address, bool& is_lost) {
  // Two blocks rarely have this many edges.
  if (cfg_.predecessors(b).size() > 4 * kMaxBlocks) return false;
  bool fits = true;
  cfg_.for_each_distinct_predecessor(b, [&](BlockId p) {
    if (!fits || is_lost) return;
    Address there = address;
    if (!translate(b, p, there)) {
      is_lost = true;
      return;
    }
    Visit& visit = node_of_[p.index()];
    if (visit.search == search_) {
      fits = nodes_[visit.node].address == there;
      return;
    }
    visit = {search_, static_cast<uint32_t>(nodes_.size())};
    nodes_.push_back({p, there, {}, {}, false});
    fits = nodes_.size() <= kMaxBlocks;
  });
  return fits;
}

// The address at the end of a predecessor. Other definitions of the block are unknown above it.
bool GvnLoads::translate(BlockId b, BlockId predecessor, Address& address) {
  bool changed = false;
  for (Operand* part : {&address.base, &address.index}) {
    if (!part->is_reg() || values_.block_of(part->reg()) != b) continue;
    InstId definition = values_.definition(part->reg());
    if (!definition) continue;
    if (!function_.inst(definition).is_phi()) return false;
    *part = value_from(phi_entries(function_, definition), predecessor);
    changed = true;
  }
  if (changed) address = resolve(address);
  return !address.base.is_undef();
}

Operand GvnLoads::value_at_end(BlockId b, const Wanted& wanted) {
  const Node& node = nodes_[node_of_[b.index()].node];
  if (node.is_blocked) return Operand::block(b);
  if (node.value.is_none()) return node.entry;
  bool is_load = node.value == Operand::reg(function_.inst(wanted.load).results[0]);
  return is_load ? nodes_[0].entry : node.value;
}

bool GvnLoads::update_entry(Node& node, const Wanted& wanted) {
  Operand phi = Operand::block(node.block);
  if (node.entry == phi) return false;
  Operand common;
  bool differs = false;
  cfg_.for_each_distinct_predecessor(node.block, [&](BlockId p) {
    Operand value = value_at_end(p, wanted);
    if (value.is_none() || value == phi || value == common) return;
    differs |= !common.is_none();
    common = value;
  });
  // In a loop, a register that the block defines, or that is not defined on all paths here, had another value
  // in the previous iteration.
  if (!differs && !common.is_none()) {
    BlockId from = common.is_block() ? common.block()
                   : common.is_reg() ? values_.block_of(common.reg())
                                     : function_.entry();
    bool is_param = common.is_reg() && !values_.definition(common.reg());
    bool is_fixed = !common.is_reg() && !common.is_block();
    differs = !is_param && !is_fixed && !dominators_.strictly_dominates(from, node.block);
  }
  if (differs) common = phi;
  if (common == node.entry) return false;
  node.entry = common;
  return true;
}

bool GvnLoads::solve(const Wanted& wanted) {
  constexpr int kMaxIterations = 16;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    bool changed = false;
    for (size_t i = nodes_.size(); i > 0; --i) {
      Node& node = nodes_[i - 1];
      if (node.value.is_none() && !node.is_blocked) changed |= update_entry(node, wanted);
    }
    if (!changed) return !nodes_[0].entry.is_none();
  }
  return false;
}

// The block without the value leads only to the join, and the load is executed whenever the join is.
bool GvnLoads::may_insert_load(const Wanted& wanted, BlockId join) {
  if (function_.inst(wanted.load).guard || uses_.block(wanted.load) != join) return false;
  if (cfg_.successors(blocked_).size() != 1 || cfg_.successors(blocked_)[0] != join) return false;
  if (nodes_[node_of_[blocked_.index()].node].address != wanted.bytes.address) return false;
  for (InstId access : accesses_.before(wanted.load, join)) {
    if (function_.inst(access).op == Opcode::Call && !promises(module_, function_, access).readonly)
      return false;
  }
  return !pointer_at_end(wanted, blocked_, join).is_none();
}

Operand GvnLoads::pointer_at_end(const Wanted& wanted, BlockId b, BlockId join) {
  Operand pointer = values_.everywhere(load_address(function_, wanted.load));
  if (!pointer.is_reg()) return pointer;
  return values_.block_of(pointer.reg()) != join && values_.dominates(pointer, b) ? pointer : Operand();
}

// Phis where they are needed for the beginning of the join.
Operand GvnLoads::make_phis(const Wanted& wanted, BlockId join) {
  // One phi in the place of one load.
  if (nodes_[0].entry != Operand::block(join)) return {};
  entries_.clear();
  bool needs_more = false;
  cfg_.for_each_distinct_predecessor(join, [&](BlockId p) {
    Operand value = value_at_end(p, wanted);
    needs_more |= value.is_none() || (value.is_block() && value.block() != join);
    add_phi_entry(entries_, p, value);
  });
  if (needs_more) return {};
  bool reads_itself = false;
  for (PhiEntry entry : phi_entries(entries_)) reads_itself |= entry.value.is_block();
  if (!reads_itself) {
    Operand equal = equal_phi(join, phi_entries(entries_));
    if (!equal.is_none()) return equal;
  }
  Inst phi;
  phi.op = Opcode::Phi;
  phi.type = wanted.type;
  InstId id = function_.add_inst(phi, entries_);
  Reg result = values_.add(join, id, wanted.type);
  for (MutablePhiEntry entry : mutable_phi_entries(function_, id)) {
    if (entry.value.is_block()) entry.value = Operand::reg(result);
  }
  added_.add_phi(join, id);
  return Operand::reg(result);
}

// A phi that is there already.
Operand GvnLoads::equal_phi(BlockId b, PhiEntries entries) {
  constexpr size_t kMaxPhis = 64;
  std::span<const InstId> insts = function_.insts(b);
  for (InstId id : insts.first(std::min(insts.size(), kMaxPhis))) {
    if (!function_.inst(id).is_phi()) break;
    PhiEntries others = phi_entries(function_, id);
    if (others.size() != entries.size()) continue;
    if (function_.inst(id).type != function_.type(entries.front().value)) continue;
    bool same = std::ranges::all_of(entries, [&](PhiEntry entry) {
      return std::ranges::any_of(others, [&](PhiEntry other) {
        return other.block == entry.block && values_.everywhere(other.value) == entry.value;
      });
    });
    if (same) return values_.everywhere(Operand::reg(function_.inst(id).results[0]));
  }
  return {};
}

}  // namespace psi::optimise
