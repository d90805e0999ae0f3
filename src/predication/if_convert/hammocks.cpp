#include "predication/if_convert/hammocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/post_dominators.h"

namespace psi::predication {

Hammocks::Hammocks(const Function& function, Analyses& analyses, const Legality& legality)
    : function_(function),
      legality_(legality),
      cfg_(analyses.get<Cfg>()),
      order_(function, analyses),
      dominators_(analyses.get<Dominators>()),
      post_dominators_(analyses.get<PostDominators>()),
      loops_(analyses.get<Loops>()),
      exits_(function.num_blocks()) {
  std::vector<uint8_t> is_loop_entry(function.num_blocks());
  for (uint32_t l = 0; l < loops_.num_loops(); ++l) {
    for (BlockId b : loops_.entries(LoopId(l))) is_loop_entry[b.index()] = 1;
  }
  unsafe_.push_back(0);
  in_loop_.push_back(0);
  insts_.push_back(0);
  for (BlockId b : dominators_.preorder()) {
    unsafe_.push_back(unsafe_.back() + (legality.obstacle(b) ? 1 : 0));
    in_loop_.push_back(in_loop_.back() + is_loop_entry[b.index()]);
    insts_.push_back(insts_.back() + static_cast<uint32_t>(function.insts(b).size()));
  }
  find_exits();
}

// --- Exits out of what a block dominates -------------------------------------------------------------------

int64_t Hammocks::height(BlockId b) const {
  BlockId above = dominators_.idom(b);
  return above ? dominators_.level(above) : -1;
}

void Hammocks::add(Exits& exits, BlockId target) const {
  if (!target || target == exits.out[0] || target == exits.out[1]) return;
  if (!exits.out[0] || height(target) < height(exits.out[0])) {
    exits.out[1] = exits.out[0];
    exits.out[0] = target;
  } else if (!exits.out[1] || height(target) < height(exits.out[1])) {
    exits.out[1] = target;
  }
}

// An edge leaves the subtree of b if its target's dominator is above b.
void Hammocks::find_exits() {
  std::span<const BlockId> preorder = dominators_.preorder();
  for (size_t i = preorder.size(); i-- > 0;) {
    BlockId b = preorder[i];
    Exits& exits = exits_[b.index()];
    for (BlockId target : cfg_.successors(b)) add(exits, target);
    for (BlockId& out : exits.out) {
      if (out && height(out) >= dominators_.level(b)) out = BlockId();
    }
    if (!exits.out[0]) std::swap(exits.out[0], exits.out[1]);
    if (BlockId above = dominators_.idom(b)) {
      for (BlockId out : exits.out) add(exits_[above.index()], out);
    }
  }
}

// --- Regions ----------------------------------------------------------------------------------------------

// The join of the sides. A side that only the branch leads to and that ends in `unreachable` is ignored.
BlockId Hammocks::join(BlockId branch) const {
  BlockId join = post_dominators_.ipdom(branch);
  std::span<const BlockId> sides = cfg_.successors(branch);
  if (join || sides.size() != 2) return join;
  auto is_unreachable_end = [&](BlockId b) {
    return cfg_.successors(b).empty() && cfg_.predecessors(b).size() == 1 &&
           ends_in_unreachable(function_, b);
  };
  bool first = is_unreachable_end(sides[0]), second = is_unreachable_end(sides[1]);
  if (first == second) return BlockId();
  return first ? sides[1] : sides[0];
}

// The same, if the branch dominates it.
BlockId Hammocks::exit_within(BlockId branch) const {
  BlockId join = this->join(branch);
  return join && dominators_.strictly_dominates(branch, join) ? join : BlockId();
}

// Calls visit(first, end) with ranges of preorder numbers: the blocks that the branch dominates without those
// that the join does.
template <class Visit>
void Hammocks::for_each_range(BlockId branch, Visit visit) const {
  uint32_t first = dominators_.pre_number(branch), end = first + dominators_.subtree_size(branch);
  if (BlockId join = exit_within(branch)) {
    uint32_t hole = dominators_.pre_number(join);
    visit(first, hole);
    first = hole + dominators_.subtree_size(join);
  }
  visit(first, end);
}

uint32_t Hammocks::sum(const std::vector<uint32_t>& counts, BlockId branch) const {
  uint32_t total = 0;
  for_each_range(branch, [&](uint32_t first, uint32_t end) { total += counts[end] - counts[first]; });
  return total;
}

uint32_t Hammocks::own_count(const std::vector<uint32_t>& counts, BlockId b) const {
  uint32_t number = dominators_.pre_number(b);
  return counts[number + 1] - counts[number];
}

Hammocks::Kind Hammocks::kind(BlockId branch) const {
  if (!legality_.ends_well(branch)) return Kind::BadEnd;
  if (sum(in_loop_, branch) > own_count(in_loop_, branch)) return Kind::Loop;
  BlockId join = this->join(branch), within = exit_within(branch);
  if (within && dominators_.idom(within) != branch) return Kind::Left;
  uint32_t level = dominators_.level(branch);
  for (BlockId child : dominators_.children(branch)) {
    if (child == within) continue;
    for (BlockId out : exits_[child.index()].out) {
      if (out && height(out) < level && (within || out != join)) return Kind::Left;
    }
  }
  for (BlockId target : cfg_.successors(branch)) {
    if (height(target) < level && (within || target != join)) return Kind::Left;
  }
  if (sum(unsafe_, branch) > own_count(unsafe_, branch)) return Kind::Unsafe;
  return Kind::Fine;
}

Region Hammocks::region(BlockId branch) const {
  Region region;
  std::span<const BlockId> preorder = dominators_.preorder();
  for_each_range(branch, [&](uint32_t first, uint32_t end) {
    region.blocks.insert(region.blocks.end(), preorder.begin() + first, preorder.begin() + end);
  });
  order_.sort(region);
  return region;
}

std::string Hammocks::obstacle(BlockId branch) const {
  switch (kind(branch)) {
    case Kind::Fine:
      return {};
    case Kind::BadEnd:
      return legality_.reason(function_.terminators(branch).front());
    case Kind::Loop:
      return "there is a loop before its sides meet";
    case Kind::Left:
      return "its sides are entered from elsewhere, or leave for different places";
    case Kind::Unsafe:
      break;
  }
  for (BlockId b : region(branch).blocks) {
    if (b == branch) continue;
    if (InstId id = legality_.obstacle(b)) return legality_.reason(id);
  }
  return {};
}

}  // namespace psi::predication
