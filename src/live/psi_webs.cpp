#include "live/psi_webs.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "psi/analysis/dominators.h"

namespace psi::live {

PsiWebs::PsiWebs(const Function& function, Analyses& analyses, PsiChains& chains, PsiLiveness& liveness,
                 GuardFacts& guards, WebRules rules)
    : function_(function),
      dominators_(analyses.get<Dominators>()),
      chains_(chains),
      liveness_(liveness),
      guards_(guards),
      rules_(rules) {}

uint32_t PsiWebs::web(Reg r) {
  if (r.index() >= web_of_.size()) {
    web_of_.resize(function_.num_regs());
    is_crowded_.resize(function_.num_regs());
  }
  uint32_t& known = web_of_[r.index()];
  if (known == 0) {
    webs_.push_back({{r}, static_cast<uint32_t>(webs_.size())});
    known = static_cast<uint32_t>(webs_.size());
  }
  uint32_t w = known - 1;
  while (webs_[w].parent != w) w = webs_[w].parent;
  return w;
}

bool PsiWebs::is_earlier(Reg a, Reg b) const {
  auto key = [&](Reg r) {
    Point point = chains_.definition(r);
    return std::tuple(dominators_.pre_number(point.block), point.key(), r);
  };
  return key(a) < key(b);
}

// --- Clashes --------------------------------------------------------------------------------------------

bool PsiWebs::do_clash(Reg a, Reg b) {
  uint32_t small = web(a), large = web(b);
  if (small == large) return false;
  if (webs_[small].members.size() > webs_[large].members.size()) std::swap(small, large);
  return std::ranges::any_of(webs_[small].members,
                             [&](Reg r) { return bool(clash(r, webs_[large].members)); });
}

Reg PsiWebs::clash(Reg r, const std::vector<Reg>& others) {
  Reg below = clash_below(r, others);
  return below ? below : clash_above(r, others);
}

// Of those that the definition of r dominates.
Reg PsiWebs::clash_below(Reg r, const std::vector<Reg>& others) {
  Point point = chains_.definition(r);
  uint32_t end = dominators_.pre_number(point.block) + dominators_.subtree_size(point.block);
  // Phis of one block, parameters, and the results of an instruction come together.
  auto at = std::partition_point(others.begin(), others.end(), [&](Reg other) {
    return is_earlier(other, r) && !chains_.are_written_together(other, r);
  });
  for (; at != others.end(); ++at) {
    Reg other = *at;
    if (other == r) continue;
    if (chains_.are_written_together(r, other)) return other;
    if (is_earlier(other, r)) continue;
    Point below = chains_.definition(other);
    if (dominators_.pre_number(below.block) >= end || !liveness_.may_be_live_below(below, r)) break;
    if (!is_live_at(r, other)) continue;
    is_crowded_[other.index()] = true;
    if (!chains_.is_merge(other) && destroys(other, r)) return other;
  }
  return Reg();
}

// Of those whose definitions dominate that of r.
Reg PsiWebs::clash_above(Reg r, const std::vector<Reg>& others) {
  BlockId b = chains_.definition(r).block;
  auto end = std::partition_point(others.begin(), others.end(), [&](Reg o) { return is_earlier(o, r); });
  while (end != others.begin()) {
    Reg other = *std::prev(end);
    BlockId above = chains_.definition(other).block;
    if (!dominators_.dominates(above, b)) {
      // No member from here up to the block where the paths to the two split dominates r.
      uint32_t last = dominators_.pre_number(common_dominator(above, b));
      end = std::partition_point(others.begin(), end, [&](Reg o) {
        return dominators_.pre_number(chains_.definition(o).block) <= last;
      });
      continue;
    }
    --end;
    if (other == r) continue;
    if (is_live_at(other, r)) {
      is_crowded_[r.index()] = true;
      if (!chains_.is_merge(r) && destroys(r, other)) return other;
    }
    if (!is_crowded_[other.index()]) break;
  }
  return Reg();
}

bool PsiWebs::is_live_below(Reg r, Point point) {
  return liveness_.is_live_below(point, r, Content::Own) ||
         liveness_.is_live_below(point, r, Content::Carried);
}

bool PsiWebs::is_live_at(Reg r, Reg definition) {
  std::optional<PsiChains::Old> old = chains_.old_value(definition);
  return is_live_below(r, old ? old->point : chains_.definition(definition));
}

bool PsiWebs::destroys(Reg writer, Reg r) {
  std::optional<PsiChains::Old> old = chains_.old_value(writer);
  for (Content content : {Content::Own, Content::Carried}) {
    auto copies_old = [&](Reg held) { return chains_.copies_value_of(old->value, writer, held); };
    if (old && destroys_at(old->point, writer, r, content, copies_old)) return true;
    auto writes_same = [&](Reg held) { return rules_.values && chains_.writes_value_of(writer, held); };
    if (destroys_at(chains_.definition(writer), writer, r, content, writes_same)) return true;
  }
  return false;
}

template <class Test>
bool PsiWebs::destroys_at(Point point, Reg writer, Reg r, Content content, Test writes_same) {
  if (!liveness_.is_live_below(point, r, content)) return false;
  if (chains_.all_contents(r, content, writes_same)) return false;
  if (!rules_.predicates) return true;
  Term written = chains_.written(writer).term();
  return !chains_.all_contents(r, content,
                               [&](Reg held) { return guards_.excludes(written, chains_.needed(held)); });
}

bool PsiWebs::is_any_live_below(Reg r, Point point) {
  return std::ranges::any_of(webs_[web(r)].members, [&](Reg member) {
    Point definition = chains_.definition(member);
    bool is_above = definition.block == point.block ? definition.key() < point.key()
                                                    : dominators_.dominates(definition.block, point.block);
    return is_above && is_live_below(member, point);
  });
}

BlockId PsiWebs::common_dominator(BlockId a, BlockId b) {
  if (!common_ancestor_) common_ancestor_.emplace(dominators_, memory_);
  return (*common_ancestor_)(a, b);
}

// --- Unions ---------------------------------------------------------------------------------------------

void PsiWebs::unite(Reg a, Reg b) {
  uint32_t large = web(a), small = web(b);
  if (large == small) return;
  if (webs_[large].members.size() < webs_[small].members.size()) std::swap(large, small);
  std::vector<Reg>& members = webs_[large].members;
  const std::vector<Reg>& added = webs_[small].members;
  auto earlier = [&](Reg x, Reg y) { return is_earlier(x, y); };
  auto behind = std::upper_bound(members.begin(), members.end(), added.front(), earlier);
  behind_.assign(behind, members.end());
  members.erase(behind, members.end());
  std::merge(behind_.begin(), behind_.end(), added.begin(), added.end(), std::back_inserter(members),
             earlier);
  webs_[small].parent = large;
  unions_.push_back({small, large});
}

void PsiWebs::undo() {
  for (; !unions_.empty(); unions_.pop_back()) {
    auto [small, large] = unions_.back();
    webs_[small].parent = small;
    std::erase_if(webs_[large].members, [&, small = small](Reg r) { return web(r) == small; });
  }
}

void PsiWebs::commit() {
  for (auto [small, large] : unions_) std::vector<Reg>().swap(webs_[small].members);
  unions_.clear();
}

std::vector<Reg> PsiWebs::representatives(uint32_t num_regs) {
  std::vector<Reg> result(num_regs);
  for (uint32_t r = 0; r < num_regs; ++r) result[r] = Reg(r);
  for (uint32_t w = 0; w < webs_.size(); ++w) {
    if (webs_[w].parent != w) continue;
    for (Reg r : webs_[w].members) result[r.index()] = webs_[w].members.front();
  }
  return result;
}

}  // namespace psi::live
