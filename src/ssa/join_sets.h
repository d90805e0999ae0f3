// The join sets of many variables by one placement algorithm, shared where sets of definitions are equal or
// included.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/ssa/phi_placement.h"

namespace psi::ssa {

class JoinSets {
 public:
  JoinSets(PlacementAlgorithm algorithm, Analyses& analyses, bool share, std::pmr::memory_resource& memory);

  // The iterated dominance frontier of these blocks, which are in preorder of the dominator tree, each once
  // and not empty. The result is valid until the next call.
  std::span<const BlockId> of(std::span<const BlockId> definitions);
  // Adds the joins of these blocks to `joins`; not shared.
  void of(std::span<const BlockId> definitions, const BlockSet& within, std::vector<BlockId>& joins) {
    ++run_;
    placement().place(definitions, &within, joins);
  }

  // Worklists run; run on part of a set only; and avoided, as an equal set was known.
  uint64_t run() const { return run_; }
  uint64_t shortened() const { return shortened_; }
  uint64_t avoided() const { return avoided_; }
  // Blocks that went through the worklists.
  uint64_t elements() const { return placement_ ? placement_->elements() : 0; }
  // Definitions that did not enter a worklist because of the last two.
  uint64_t elements_saved() const { return elements_saved_; }

 private:
  struct Known {
    uint64_t hash;
    uint64_t definitions;  // where they start in pool_
    uint32_t num_definitions;
    uint32_t num_joins;  // they follow the definitions
    uint32_t next;       // the next one with the same first definition
  };

  // Made on first use: many functions have no variable that could have a phi.
  PhiPlacement& placement() {
    if (!placement_) placement_ = make_phi_placement(algorithm_, analyses_, memory_);
    return *placement_;
  }
  std::span<const BlockId> definitions_of(const Known& known) const {
    return std::span(pool_).subspan(known.definitions, known.num_definitions);
  }
  std::span<const BlockId> joins_of(const Known& known) const {
    return std::span(pool_).subspan(known.definitions + known.num_definitions, known.num_joins);
  }
  uint32_t find_equal(std::span<const BlockId> definitions, uint64_t hash) const;
  uint32_t find_subset(std::span<const BlockId> definitions) const;
  bool is_subset(std::span<const BlockId> small, std::span<const BlockId> large) const;
  void compute(std::span<const BlockId> definitions);
  std::span<const BlockId> remember(std::span<const BlockId> definitions, uint64_t hash);
  void grow_table();

  PlacementAlgorithm algorithm_;
  Analyses& analyses_;
  std::pmr::memory_resource& memory_;
  const Dominators& dominators_;
  std::unique_ptr<PhiPlacement> placement_;
  bool share_;
  std::vector<Known> known_;
  std::vector<BlockId> pool_;
  std::vector<uint32_t> table_;  // open addressing by hash; index into known_ + 1, 0: free
  std::vector<uint32_t>
      by_first_;  // by preorder number: the last known set that starts with this block, or none
  std::vector<BlockId> joins_;
  std::vector<BlockId> rest_;
  uint64_t run_ = 0;
  uint64_t shortened_ = 0;
  uint64_t avoided_ = 0;
  uint64_t elements_saved_ = 0;
};

}  // namespace psi::ssa
