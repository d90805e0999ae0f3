// Instructions to insert at the starts and ends of blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/function.h"

namespace psi::optimise {

class Insertions {
 public:
  // In front of all that is in the block.
  void add_phi(BlockId b, InstId id) { phis_.push_back({b, id, phis_.size()}); }
  // In front of the terminators, behind what was added there before.
  void add_at_end(BlockId b, InstId id) { ends_.push_back({b, id, ends_.size()}); }

  size_t num_phis() const { return phis_.size(); }
  size_t num_at_ends() const { return ends_.size(); }

  // Inserts them. Each block's list is rewritten once: linear in those blocks.
  void apply(Function& function);

 private:
  struct Insertion {
    BlockId block;
    InstId inst;
    size_t order;  // in which they were added
  };

  std::vector<Insertion> phis_;
  std::vector<Insertion> ends_;
};

}  // namespace psi::optimise
