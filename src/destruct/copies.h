// The copies that a translation inserts.
#pragma once

#include <cstdint>
#include <vector>

#include "live/parallel_copies.h"
#include "psi/ir/function.h"

namespace psi::destruct {

using live::Together;

class Copies {
 public:
  explicit Copies(Function& function) : function_(function) {}

  // guard ? result = mov source, as an instruction that no block lists yet. Gives the result a register of
  // its own if there is none.
  InstId make(Operand source, Type type, Guard guard = {}, Reg result = {});
  Reg result(InstId copy) const { return function_.inst(copy).results[0]; }

  void at_head(BlockId b, InstId copy) { insert(b, 0, copy, Together::AtHead); }
  void at_end(BlockId b, InstId copy) { insert(b, UINT32_MAX, copy, Together::AtEnd); }
  // Above the instruction at `position`, as the block was when the last insertions took effect. Several at
  // one position are ordered by `rank`, then by creation.
  void above(BlockId b, uint32_t position, InstId copy, uint32_t rank = 0) {
    insert(b, position, copy, Together::No, rank);
  }

  // Inserts all of them into their blocks.
  void apply();

  Together together(InstId inst) const { return parallel_.together(inst); }
  const live::ParallelCopies& parallel() const { return parallel_; }
  uint32_t num_inserted() const { return num_inserted_; }

 private:
  struct Insertion {
    BlockId block;
    uint32_t position;
    uint32_t rank;
    uint32_t sequence;
    InstId inst;
  };

  void insert(BlockId b, uint32_t position, InstId copy, Together together, uint32_t rank = 0);

  Function& function_;
  std::vector<Insertion> insertions_;
  live::ParallelCopies parallel_;
  std::vector<InstId> list_;
  uint32_t num_inserted_ = 0;
};

}  // namespace psi::destruct
