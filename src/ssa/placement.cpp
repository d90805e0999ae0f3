#include "ssa/placement.h"

#include <algorithm>
#include <array>

namespace psi {
namespace ssa {

void DeepestFirst::push(BlockId b) {
  heap_.push_back(uint64_t{dominators_.level(b)} << 32 | dominators_.pre_number(b));
  std::push_heap(heap_.begin(), heap_.end());
}

BlockId DeepestFirst::pop() {
  std::pop_heap(heap_.begin(), heap_.end());
  BlockId b = dominators_.preorder()[static_cast<uint32_t>(heap_.back())];
  heap_.pop_back();
  return b;
}

namespace {

struct Entry {
  PlacementAlgorithm algorithm;
  std::string_view name;
  std::unique_ptr<PhiPlacement> (*make)(Analyses&, std::pmr::memory_resource&);
};

constexpr std::array<Entry, 5> kTable = {{
    {PlacementAlgorithm::Adt, "adt", make_adt_placement},
    {PlacementAlgorithm::DjGraph, "dj-graph", make_dj_graph_placement},
    {PlacementAlgorithm::Cytron, "cytron", make_cytron_placement},
    {PlacementAlgorithm::CytronFerrante, "cytron-ferrante", make_cytron_ferrante_placement},
    {PlacementAlgorithm::Auto, "auto", make_adt_placement},
}};

}  // namespace
}  // namespace ssa

std::string_view placement_name(PlacementAlgorithm algorithm) {
  return ssa::kTable[static_cast<size_t>(algorithm)].name;
}

std::optional<PlacementAlgorithm> placement_from_name(std::string_view name) {
  for (const ssa::Entry& entry : ssa::kTable) {
    if (entry.name == name) return entry.algorithm;
  }
  return std::nullopt;
}

std::unique_ptr<PhiPlacement> make_phi_placement(PlacementAlgorithm algorithm, Analyses& analyses,
                                                 std::pmr::memory_resource& memory) {
  return ssa::kTable[static_cast<size_t>(algorithm)].make(analyses, memory);
}

}  // namespace psi
