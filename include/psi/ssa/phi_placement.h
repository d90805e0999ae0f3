// Phi placement: the iterated dominance frontier of the blocks that define a variable, by several algorithms
// that all give the same set.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "psi/ir/function.h"
#include "psi/pass/analyses.h"

namespace psi {

enum class PlacementAlgorithm : uint8_t {
  Adt,             // Bilardi and Pingali: the augmented dominator tree
  DjGraph,         // Sreedhar and Gao: dominator subtrees, deepest first
  Cytron,          // Cytron et al.: dominance frontiers and a worklist
  CytronFerrante,  // Cytron and Ferrante: one pass over the blocks, no frontiers
  Auto,            // construct: sets of blocks as words in small functions, Adt in large ones
};

std::string_view placement_name(PlacementAlgorithm algorithm);
std::optional<PlacementAlgorithm> placement_from_name(std::string_view name);

// A set of blocks that is emptied in constant time.
class BlockSet {
 public:
  explicit BlockSet(uint32_t num_blocks,
                    std::pmr::memory_resource& memory = *std::pmr::get_default_resource())
      : stamp_(num_blocks, &memory) {}

  void clear() {
    if (++now_ != 0) return;
    stamp_.assign(stamp_.size(), 0);
    now_ = 1;
  }
  bool contains(BlockId b) const { return stamp_[b.index()] == now_; }
  // False if it was there already.
  bool insert(BlockId b) {
    if (contains(b)) return false;
    stamp_[b.index()] = now_;
    return true;
  }

 private:
  uint32_t now_ = 1;
  std::pmr::vector<uint32_t> stamp_;  // by BlockId
};

class PhiPlacement {
 public:
  virtual ~PhiPlacement() = default;

  // Appends to `joins` the iterated dominance frontier of these blocks, each once, in a deterministic order
  // that depends on the algorithm. Unreachable blocks have no frontier. A block may be given twice.
  void place(std::span<const BlockId> definitions, std::vector<BlockId>& joins) {
    place(definitions, nullptr, joins);
  }
  // The same, restricted to a set of blocks if one is given, such as those where the variable is live.
  virtual void place(std::span<const BlockId> definitions, const BlockSet* within,
                     std::vector<BlockId>& joins) = 0;

  // The number of blocks that have gone through worklists in all calls so far.
  uint64_t elements() const { return elements_; }

  // A step of an algorithm, for display: it takes a block (Cytron and Ferrante: the children of a block), or
  // finds a join from it.
  struct Step {
    BlockId taken;
    BlockId join;  // or none
  };
  // Records the following steps in this list; null: stops recording.
  void record(std::vector<Step>* steps) { steps_ = steps; }

 protected:
  void take(BlockId b) {
    if (steps_) steps_->push_back({b, BlockId()});
  }
  void find(BlockId taken, BlockId join) {
    if (steps_) steps_->push_back({taken, join});
  }

  uint64_t elements_ = 0;

 private:
  std::vector<Step>* steps_ = nullptr;
};

// Prepares an algorithm for a graph. Graph, analyses and memory must outlive the placement unchanged.
std::unique_ptr<PhiPlacement> make_phi_placement(
    PlacementAlgorithm algorithm, Analyses& analyses,
    std::pmr::memory_resource& memory = *std::pmr::get_default_resource());

}  // namespace psi
