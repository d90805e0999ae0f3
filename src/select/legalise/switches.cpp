// A switch becomes a balanced tree of compares. Its leaves test a few cases each with guarded branches, which
// need no blocks of their own.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "psi/ir/views.h"
#include "select/legalise/emitter.h"
#include "select/legalise/untyped.h"

namespace psi::select {
namespace {

constexpr size_t kLeafCases = 3;

struct Case {
  uint64_t value;
  Operand literal;
  BlockId target;
};

class SwitchLowering {
 public:
  // `added`: new blocks, each with the one that it follows.
  SwitchLowering(Function& function, std::vector<std::pair<BlockId, BlockId>>& added)
      : function_(function), added_(added) {}

  bool lower(BlockId block) {
    std::span<const InstId> list = function_.insts(block);
    size_t at = 0;
    while (at < list.size() && function_.inst(list[at]).op != Opcode::Switch) ++at;
    if (at == list.size()) return false;
    std::vector<InstId> insts(list.begin(), list.end());
    InstId id = insts[at];
    const Inst inst = function_.inst(id);
    old_ = block;
    edges_.clear();
    BlockId begin = block;
    std::vector<InstId> tests;
    if (inst.guard) {
      // Behind a guarded jump it has no guard.
      begin = add_block();
      Emitter emitter(function_, tests);
      emitter.begin(id);
      emitter.guard(inst.guard);
      Inst jump;
      jump.op = Opcode::Br;
      insts[at] = emitter.append(jump, std::array{Operand(begin)});
      function_.set_insts(block, insts);
      insts.clear();
    } else {
      insts.pop_back();
      // Guarded terminators stay last.
      ending_.clear();
      while (!insts.empty() && function_.inst(insts.back()).is_terminator()) {
        ending_.insert(ending_.begin(), insts.back());
        insts.pop_back();
      }
    }
    std::vector<InstId> ending = inst.guard ? std::vector<InstId>() : ending_;
    make_tree(id, begin, std::move(insts), std::move(ending));
    update_phis(id);
    return true;
  }

 private:
  BlockId add_block() {
    BlockId block = function_.add_block();
    added_.push_back({old_, block});
    return block;
  }

  struct Node {
    BlockId block;
    size_t first, count;
    BlockId otherwise;
  };

  void make_tree(InstId id, BlockId begin, std::vector<InstId> insts, std::vector<InstId> ending) {
    SwitchView view = as_switch(function_, id);
    Operand value = view.value;
    BlockId otherwise = view.otherwise;
    std::vector<Case> cases;
    for (SwitchCase each : view.cases) {
      if (each.target == otherwise) continue;
      cases.push_back({function_.literal_bits(each.literal), each.literal, each.target});
    }
    std::ranges::sort(cases, {}, &Case::value);
    // Every edge stays, even if it is known which is taken.
    if (value.is_literal()) {
      Emitter emitter(function_, insts);
      emitter.begin(id);
      Inst mov;
      mov.op = Opcode::Mov;
      mov.type = function_.type(value);
      value = emitter.append(mov, std::array{value}, mov.type);
    }
    std::vector<Node> nodes = {{begin, 0, cases.size(), otherwise}};
    while (!nodes.empty()) {
      Node node = nodes.back();
      nodes.pop_back();
      Emitter emitter(function_, insts);
      emitter.begin(id);
      Inst jump;
      jump.op = Opcode::Br;
      if (node.count <= kLeafCases) {
        std::vector<Operand> predicates;
        for (size_t i = 0; i < node.count; ++i) {
          predicates.push_back(emitter.cmp(Cond::eq, {value, cases[node.first + i].literal}));
        }
        insts.insert(insts.end(), ending.begin(), ending.end());
        for (size_t i = 0; i < node.count; ++i) {
          BlockId target = cases[node.first + i].target;
          emitter.guard(Guard(predicates[i]));
          emitter.append(jump, std::array{Operand(target)});
          edges_.push_back({target, node.block});
        }
        emitter.guard({});
        emitter.append(jump, std::array{Operand(otherwise)});
        edges_.push_back({otherwise, node.block});
      } else {
        size_t half = node.count / 2;
        Operand below = emitter.cmp(Cond::ult, {value, cases[node.first + half].literal});
        insts.insert(insts.end(), ending.begin(), ending.end());
        BlockId left = add_block(), right = add_block();
        emitter.append(jump, std::array{below, Operand(left), Operand(right)});
        nodes.push_back({right, node.first + half, node.count - half, otherwise});
        nodes.push_back({left, node.first, half, otherwise});
      }
      function_.set_insts(node.block, insts);
      insts.clear();
      ending.clear();
    }
  }

  // A phi has one argument for each block that comes before its own.
  void update_phis(InstId id) {
    std::ranges::sort(edges_);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    std::vector<BlockId> targets = {as_switch(function_, id).otherwise};
    for (SwitchCase each : as_switch(function_, id).cases) targets.push_back(each.target);
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (BlockId target : targets) {
      bool stays = false;
      function_.for_each_successor(old_, [&](BlockId successor) { stays |= successor == target; });
      std::vector<Operand> operands;
      for (InstId phi : function_.insts(target)) {
        if (!function_.inst(phi).is_phi()) break;
        operands.clear();
        Operand value;
        for (PhiEntry entry : phi_entries(function_, phi)) {
          if (entry.block == old_) value = entry.value;
          if (entry.block != old_ || stays) add_phi_entry(operands, entry);
        }
        for (auto [to, from] : edges_) {
          if (to == target && from != old_) add_phi_entry(operands, from, value);
        }
        function_.set_operands(phi, operands);
      }
    }
  }

  Function& function_;
  std::vector<std::pair<BlockId, BlockId>>& added_;
  BlockId old_;
  std::vector<InstId> ending_;
  std::vector<std::pair<BlockId, BlockId>> edges_;  // target, from
};

}  // namespace

void lower_switches(Function& function, uint64_t& count) {
  std::vector<BlockId> blocks(function.layout().begin(), function.layout().end());
  std::vector<BlockId> layout;
  std::vector<std::pair<BlockId, BlockId>> added;
  for (BlockId block : blocks) {
    added.clear();
    // A group may have several.
    while (SwitchLowering(function, added).lower(block)) ++count;
    layout.push_back(block);
    for (auto [from, block_added] : added) layout.push_back(block_added);
  }
  if (layout.size() != blocks.size()) function.set_layout(std::move(layout));
}

}  // namespace psi::select
