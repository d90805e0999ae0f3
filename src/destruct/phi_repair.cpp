#include "destruct/phi_repair.h"

#include <algorithm>

#include "destruct/phis.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"

namespace psi::destruct {

using namespace live;

PhiRepair::PhiRepair(Translation& t, InterferenceGraph& graph) : t_(t), function_(t.function), graph_(graph) {
  for (BlockId b : function_.layout()) {
    for_each_phi(function_, b, [&](InstId phi) {
      for (auto [from, value] : phi_entries(function_, phi)) {
        if (value.is_reg()) ++phi_reads_[key(from, value.reg())];
      }
    });
  }
}

// From the bottom up. A phi at the head of a loop would unite its result with the values from the back edge,
// and so with the phis inside; later a whole web would interfere instead of single registers.
void PhiRepair::run() {
  std::span<const BlockId> blocks = t_.analyses.get<Dominators>().preorder();
  for (size_t i = blocks.size(); i-- > 0;) {
    BlockId b = blocks[i];
    for_each_phi(function_, b, [&](InstId phi) {
      collect_members(b, phi);
      find_pairs();
      choose(pairs_);
      spread();
      insert_copies(phi);
    });
  }
  t_.copies.apply();
  t_.analyses.drop(Keeps::ControlFlow);
}

void PhiRepair::collect_members(BlockId b, InstId phi) {
  members_.clear();
  members_.push_back({Operand::reg(function_.inst(phi).results[0]), b, 0});
  PhiEntries entries = phi_entries(function_, phi);
  for (size_t i = 0; i < entries.size(); ++i) {
    auto [from, value] = entries[i];
    if (!value.is_undef()) members_.push_back({value, from, value_operand(i), !value.is_reg()});
  }
}

// Visits the edges of all webs but the one with the most: the others find it. So an edge is visited again
// only if the degree of its web has more than doubled, or a copy kept the web out of another.
void PhiRepair::find_pairs() {
  num_groups_ = 0;
  group_of_.resize(t_.webs.num_regs());
  for (uint32_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].value.is_reg()) continue;
    uint32_t& group = group_of_[web(members_[i]).index()];
    if (group == 0) {
      group = ++num_groups_;
      if (groups_.size() < num_groups_) groups_.emplace_back();
      groups_[group - 1].clear();
    }
    groups_[group - 1].push_back(i);
  }
  auto group_web = [&](uint32_t group) { return web(members_[groups_[group].front()]); };
  uint32_t largest = 0;
  for (uint32_t g = 1; g < num_groups_; ++g) {
    if (graph_.degree(group_web(g)) > graph_.degree(group_web(largest))) largest = g;
  }
  pairs_.clear();
  met_.assign(num_groups_, UINT32_MAX);
  for (uint32_t g = 0; g < num_groups_; ++g) {
    if (g == largest) continue;
    graph_.for_each_edge(group_web(g), [&](Reg, Reg to) {
      uint32_t other = group_of_[t_.webs.find(to).index()];
      if (other == 0 || --other == g || met_[other] == g) return;
      met_[other] = g;
      for (uint32_t i : groups_[g]) {
        for (uint32_t j : groups_[other]) pairs_.push_back(std::minmax(i, j));
      }
    });
  }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  for (uint32_t g = 0; g < num_groups_; ++g) group_of_[group_web(g).index()] = 0;
}

bool PhiRepair::is_live_at(const Member& member, const Member& copied) const {
  bool found = false;
  t_.webs.for_each_member(member.value.reg(), [&](Reg r) {
    found = found || (copied.is_result() ? graph_.is_live_at_head(copied.block, r)
                                         : graph_.is_live_at_end(copied.block, r));
  });
  return found;
}

// A copy for one may require a copy for another.
void PhiRepair::spread() {
  for (uint32_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].needs_copy) continue;
    release(members_[i]);
    work_.push_back(i);
  }
  while (!work_.empty()) {
    const Member& copied = members_[work_.back()];
    work_.pop_back();
    for (uint32_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      if (member.needs_copy || !is_live_at(member, copied)) continue;
      member.needs_copy = true;
      release(member);
      work_.push_back(i);
    }
  }
}

// The register itself is no longer the phi's: is it still live where the copy is to stand?
void PhiRepair::release(const Member& member) {
  if (!member.value.is_reg()) return;
  Reg r = member.value.reg();
  BlockId b = member.block;
  if (member.is_result()) return graph_.remove_at_head(b, r);
  if (--phi_reads_[key(b, r)] > 0 || is_read_at_end(b, r)) return;
  for (BlockId to : t_.analyses.get<Cfg>().successors(b)) {
    if (graph_.is_live_in(to, r)) return;
  }
  graph_.remove_at_end(b, r);
}

// By the terminators, which have registers only for guards and first operands.
bool PhiRepair::is_read_at_end(BlockId b, Reg r) const {
  for (InstId id : function_.terminators(b)) {
    const Inst& inst = function_.inst(id);
    if (inst.guard && inst.guard.reg() == r) return true;
    if (inst.count > 0 && std::as_const(function_).operands(id)[0] == Operand::reg(r)) return true;
  }
  return false;
}

void PhiRepair::insert_copies(InstId phi) {
  Type type = function_.type(function_.inst(phi).results[0]);
  for (const Member& member : members_) {
    if (!member.needs_copy) continue;
    if (member.is_result()) {
      Reg inner = function_.add_reg(type);
      t_.copies.at_head(member.block, t_.copies.make(Operand::reg(inner), type, Guard(), member.value.reg()));
      function_.inst(phi).results[0] = inner;
      t_.webs.grow(function_.num_regs());
      graph_.add_at_head(member.block, inner);
    } else {
      InstId copy = t_.copies.make(member.value, type);
      t_.copies.at_end(member.block, copy);
      function_.operands(phi)[member.operand] = Operand::reg(t_.copies.result(copy));
      t_.webs.grow(function_.num_regs());
      graph_.add_at_end(member.block, t_.copies.result(copy));
    }
  }
  Reg result = function_.inst(phi).results[0];
  for_each_argument(function_, phi, [&](Reg r) { graph_.unite(result, r); });
}

}  // namespace psi::destruct
