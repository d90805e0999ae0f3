#include "predication/reverse_if_convert/emit_branches.h"

#include <array>
#include <span>
#include <utility>

#include "psi/ir/views.h"

namespace psi::predication {

void BranchEmitter::emit(const BranchTree& tree, BlockId head, std::vector<BlockId>& layout) {
  layout_ = &layout;
  pending_.assign(1, {tree.root().first, head, BlockId()});
  while (!pending_.empty()) {
    Part part = pending_.back();
    pending_.pop_back();
    emit(tree, part);
  }
}

void BranchEmitter::emit(const BranchTree& tree, Part part) {
  block_ = part.block;
  layout_->push_back(block_);
  for (uint32_t i = part.item; i != BranchTree::kNone; i = tree.item(i).next) {
    if (!tree.item(i).inst) return emit_branch(tree, i, part.exit);
    InstId id = tree.item(i).inst;
    if (!keeps_guard(function_.inst(id), kept_)) function_.inst(id).guard = {};
    insts_.push_back(id);
    if (function_.inst(id).is_terminator()) return finish();
  }
  insts_.push_back(jump({Operand::block(part.exit)}));
  finish();
}

void BranchEmitter::emit_branch(const BranchTree& tree, uint32_t i, BlockId exit) {
  const BranchTree::Item& branch = tree.item(i);
  // In the order of the text, so that numbers rise.
  std::array<BlockId, 2> targets = {lone_target(tree, branch.arms[0]), lone_target(tree, branch.arms[1])};
  std::array<uint32_t, 2> first;
  for (size_t arm = 0; arm < 2; ++arm) {
    first[arm] = targets[arm] ? BranchTree::kNone : tree.sequence(branch.arms[arm]).first;
    if (first[arm] != BranchTree::kNone) targets[arm] = add_block();
  }
  BlockId join = exit;
  if (branch.next != BranchTree::kNone) {
    join = add_block();
    // A join without exits is executed as often as the block.
    if (!exit && !branch.has_exits) function_.set_count(join, function_.count(block_));
    pending_.push_back({branch.next, join, exit});
  }
  for (size_t arm : {size_t{1}, size_t{0}}) {
    if (first[arm] != BranchTree::kNone) pending_.push_back({first[arm], targets[arm], join});
    if (!targets[arm]) targets[arm] = join;
  }
  if (branch.is_flipped) std::swap(targets[0], targets[1]);
  insts_.push_back(
      jump({Operand::reg(branch.predicate), Operand::block(targets[0]), Operand::block(targets[1])}));
  ++num_branches_;
  finish();
}

// The target of an empty arm.
BlockId BranchEmitter::lone_target(const BranchTree& tree, uint32_t arm) const {
  uint32_t i = tree.sequence(arm).first;
  if (i == BranchTree::kNone || !tree.item(i).inst) return {};
  const Inst& inst = function_.inst(tree.item(i).inst);
  return inst.is_jump() ? jump_target(function_, inst) : BlockId();
}

BlockId BranchEmitter::add_block() {
  ++num_blocks_;
  return function_.add_block();
}

InstId BranchEmitter::jump(std::initializer_list<Operand> operands) {
  Inst br;
  br.op = Opcode::Br;
  return function_.add_inst(br, std::span(operands.begin(), operands.size()));
}

void BranchEmitter::finish() {
  function_.set_insts(block_, insts_);
  insts_.clear();
}

}  // namespace psi::predication
