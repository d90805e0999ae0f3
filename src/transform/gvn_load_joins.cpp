// Loads whose value comes by several ways.
//
// The blocks that the search goes through are nodes. What is at the beginning of each is found by iteration:
// the one value that all its predecessors bring, or, where they bring several, a phi there (the phis that
// are needed, as in M. Braun et al., "Simple and Efficient Construction of SSA Form", CC 2013, but all at
// once, and with the load itself standing for what it is to become).
#include <algorithm>
#include <array>
#include <utility>

#include "transform/gvn_loads.h"

namespace psi::transform {

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
  // A load more and a load less: phis besides would make it longer.
  if (entry.block() != blocked_) return {};
  Inst load = function_.inst(wanted.load);
  Operand pointer = pointer_at_end(wanted, blocked_, join);
  InstId id = function_.add_inst(load, std::array{pointer});
  function_.set_line(id, function_.line(wanted.load));
  added_.add_at_end(blocked_, id);
  return Operand::reg(values_.add(blocked_, id, load.type));
}

// Visits the blocks above the join as far as nothing is known of the bytes there. False if too much is
// unknown, or too far away.
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

// The accesses of a block are looked at before what stands for their operands is known.
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
  // Edges from one block to another may be several, but not so many.
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

// The address at the end of a predecessor. What else the block defines is not known above it.
bool GvnLoads::translate(BlockId b, BlockId predecessor, Address& address) {
  bool changed = false;
  for (Operand* part : {&address.base, &address.index}) {
    if (!part->is_reg() || values_.block_of(part->reg()) != b) continue;
    InstId definition = values_.definition(part->reg());
    if (!definition) continue;
    if (!function_.inst(definition).is_phi()) return false;
    std::span<const Operand> pairs = std::as_const(function_).operands(definition);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      if (pairs[i].block() == predecessor) *part = pairs[i + 1];
    }
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
  // In a loop a register that the block defines, or that some way here does not, was another one before.
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
  constexpr int kMaxRounds = 16;
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (size_t i = nodes_.size(); i > 0; --i) {
      Node& node = nodes_[i - 1];
      if (node.value.is_none() && !node.is_blocked) changed |= update_entry(node, wanted);
    }
    if (!changed) return !nodes_[0].entry.is_none();
  }
  return false;
}

// The block where nothing is known leads to the join alone, and the load is executed whenever the join is.
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
  Operand pointer = values_.everywhere(std::as_const(function_).operands(wanted.load)[0]);
  if (!pointer.is_reg()) return pointer;
  return values_.block_of(pointer.reg()) != join && values_.dominates(pointer, b) ? pointer : Operand();
}

// Phis where they are needed for the beginning of the join.
Operand GvnLoads::make_phis(const Wanted& wanted, BlockId join) {
  // One phi in the place of one load.
  if (nodes_[0].entry != Operand::block(join)) return {};
  pairs_.clear();
  bool needs_more = false;
  cfg_.for_each_distinct_predecessor(join, [&](BlockId p) {
    Operand value = value_at_end(p, wanted);
    needs_more |= value.is_none() || (value.is_block() && value.block() != join);
    pairs_.insert(pairs_.end(), {Operand::block(p), value});
  });
  if (needs_more) return {};
  bool reads_itself = false;
  for (size_t i = 1; i < pairs_.size(); i += 2) reads_itself |= pairs_[i].is_block();
  if (!reads_itself) {
    Operand equal = equal_phi(join, pairs_);
    if (!equal.is_none()) return equal;
  }
  Inst phi;
  phi.op = Opcode::Phi;
  phi.type = wanted.type;
  InstId id = function_.add_inst(phi, pairs_);
  Reg result = values_.add(join, id, wanted.type);
  for (size_t i = 1; i < pairs_.size(); i += 2) {
    if (pairs_[i].is_block()) pairs_[i] = Operand::reg(result);
  }
  function_.set_operands(id, pairs_);
  added_.add_phi(join, id);
  return Operand::reg(result);
}

// A phi that is there already.
Operand GvnLoads::equal_phi(BlockId b, std::span<const Operand> pairs) {
  constexpr size_t kMaxPhis = 64;
  std::span<const InstId> insts = function_.insts(b);
  for (InstId id : insts.first(std::min(insts.size(), kMaxPhis))) {
    if (!function_.inst(id).is_phi()) break;
    std::span<const Operand> others = std::as_const(function_).operands(id);
    bool same = others.size() == pairs.size() && function_.inst(id).type == function_.type(pairs[1]);
    for (size_t i = 0; i < pairs.size() && same; i += 2) {
      bool found = false;
      for (size_t k = 0; k < others.size() && !found; k += 2) {
        found = others[k] == pairs[i] && values_.everywhere(others[k + 1]) == pairs[i + 1];
      }
      same = found;
    }
    if (same) return values_.everywhere(Operand::reg(function_.inst(id).results[0]));
  }
  return {};
}

}  // namespace psi::transform
