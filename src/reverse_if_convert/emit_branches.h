// Writes a tree of branches out as blocks.
//
//     branch on p                     head:  br p, then, else
//       then: a, b            ==>     then:  a; b; br join
//       else: c                       else:  c; br join
//     x                               join:  x
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "psi/function.h"
#include "reverse_if_convert/branch_tree.h"

namespace psi::reversal {

class BranchEmitter {
 public:
  explicit BranchEmitter(Function& function) : function_(function) {}

  // The tree replaces the instructions of the block, which lose their guards; new blocks are appended to
  // `layout`, behind it. Linear.
  void emit(const BranchTree& tree, BlockId head, std::vector<BlockId>& layout);

  uint64_t num_blocks() const { return num_blocks_; }
  uint64_t num_branches() const { return num_branches_; }

 private:
  // A part of a sequence from an item on, in a block of its own; then on to `exit`.
  struct Part {
    uint32_t item;
    BlockId block;
    BlockId exit;
  };

  void emit(const BranchTree& tree, Part part);
  void emit_branch(const BranchTree& tree, uint32_t i, BlockId exit);
  BlockId lone_target(const BranchTree& tree, uint32_t arm) const;
  BlockId add_block();
  InstId jump(std::initializer_list<Operand> operands);
  void finish();

  Function& function_;
  std::vector<BlockId>* layout_ = nullptr;
  BlockId block_;
  std::vector<InstId> insts_;
  std::vector<Part> pending_;
  uint64_t num_blocks_ = 0;
  uint64_t num_branches_ = 0;
};

}  // namespace psi::reversal
