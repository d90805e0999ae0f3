// Turns a tree of branches into blocks.
//
//     branch on p                     head:  br p, then, else
//       then: a, b            ==>     then:  a; b; br join
//       else: c                       else:  c; br join
//     x                               join:  x
#pragma once

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "predication/reverse_if_convert/branch_tree.h"
#include "psi/ir/function.h"

namespace psi::predication {

// A terminator cannot keep its guard: where it is executed, the block ends.
inline bool keeps_guard(const Inst& inst, const std::bitset<kNumOpcodes>& kept) {
  return kept[static_cast<size_t>(inst.op)] && !inst.is_terminator();
}

class BranchEmitter {
 public:
  // Guards on `kept` stay.
  BranchEmitter(Function& function, const std::bitset<kNumOpcodes>& kept)
      : function_(function), kept_(kept) {}

  // The tree replaces the instructions of the block, which lose their guards; new blocks are appended to
  // `layout`, behind it. Linear.
  void emit(const BranchTree& tree, BlockId head, std::vector<BlockId>& layout);

  uint64_t num_blocks() const { return num_blocks_; }
  uint64_t num_branches() const { return num_branches_; }

 private:
  // The rest of a sequence from an item on, as a new block that continues to `exit`.
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
  const std::bitset<kNumOpcodes>& kept_;
  std::vector<BlockId>* layout_ = nullptr;
  BlockId block_;
  std::vector<InstId> insts_;
  std::vector<Part> pending_;
  uint64_t num_blocks_ = 0;
  uint64_t num_branches_ = 0;
};

}  // namespace psi::predication
