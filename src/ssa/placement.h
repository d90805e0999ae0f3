// The rival algorithms behind make_phi_placement, one source each.
#pragma once

#include <memory>

#include "psi/analysis/dominators.h"
#include "psi/ssa/phi_placement.h"

namespace psi::ssa {

std::unique_ptr<PhiPlacement> make_adt_placement(Analyses& analyses, std::pmr::memory_resource& memory);
std::unique_ptr<PhiPlacement> make_dj_graph_placement(Analyses& analyses, std::pmr::memory_resource& memory);
std::unique_ptr<PhiPlacement> make_cytron_placement(Analyses& analyses, std::pmr::memory_resource& memory);
std::unique_ptr<PhiPlacement> make_cytron_ferrante_placement(Analyses& analyses,
                                                             std::pmr::memory_resource& memory);

// The blocks still to be processed, the deepest in the dominator tree first; among equals the one with the
// largest preorder number, so that the order is deterministic. A heap rather than an array of levels: a tree
// may be 100,000 levels deep, and a function may have as many variables.
class DeepestFirst {
 public:
  DeepestFirst(const Dominators& dominators, std::pmr::memory_resource& memory)
      : dominators_(dominators), heap_(&memory) {}

  bool empty() const { return heap_.empty(); }
  void push(BlockId b);
  BlockId pop();

 private:
  const Dominators& dominators_;
  std::pmr::vector<uint64_t> heap_;  // level and preorder number
};

}  // namespace psi::ssa
