// Edits to one block, applied at once: a pass walks the block and collects insertions and removals by
// position; the list is rewritten once.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/function.h"

namespace psi {

class BlockEdits {
 public:
  // `position` counts the block's instructions before any edit; the block's size means the end. Insertions at
  // one position keep the order in which they were made.
  void insert_before(uint32_t position, InstId inst) {
    insertions_.push_back({position, static_cast<uint32_t>(insertions_.size()), inst});
  }
  void insert_after(uint32_t position, InstId inst) { insert_before(position + 1, inst); }
  void remove(uint32_t position) { removals_.push_back(position); }
  bool empty() const { return insertions_.empty() && removals_.empty(); }

  // Rewrites the block's list and clears the edits, so that the object can be reused.
  void apply(Function& function, BlockId block);

 private:
  struct Insertion {
    uint32_t position;
    uint32_t sequence;
    InstId inst;
  };
  std::vector<Insertion> insertions_;
  std::vector<uint32_t> removals_;
  std::vector<InstId> scratch_;
};

}  // namespace psi
