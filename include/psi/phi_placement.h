// Where phis go: the iterated dominance frontier of the blocks that define a variable, by several algorithms
// that all give the same set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "psi/analyses.h"

namespace psi {

enum class PlacementAlgorithm : uint8_t {
  Adt,             // Bilardi and Pingali: the augmented dominator tree
  DjGraph,         // Sreedhar and Gao: dominator subtrees, deepest first
  Cytron,          // Cytron et al.: dominance frontiers and a worklist
  CytronFerrante,  // Cytron and Ferrante: one round over the blocks, no frontiers
};

std::string_view placement_name(PlacementAlgorithm algorithm);
std::optional<PlacementAlgorithm> placement_from_name(std::string_view name);

class PhiPlacement {
 public:
  virtual ~PhiPlacement() = default;

  // Appends to `joins` the iterated dominance frontier of these blocks, each once, in an order that depends
  // on the algorithm but is always the same. Unreachable blocks have no frontier. A block may be given twice.
  virtual void place(std::span<const BlockId> definitions, std::vector<BlockId>& joins) = 0;

  // How many blocks went through the worklists of all calls so far.
  uint64_t elements() const { return elements_; }

 protected:
  uint64_t elements_ = 0;
};

// Computes what the algorithm needs to know of the graph, which must stay as it is, and the analyses too,
// while the placement is in use.
std::unique_ptr<PhiPlacement> make_phi_placement(PlacementAlgorithm algorithm, Analyses& analyses);

}  // namespace psi
