// The arguments of the psis that the phis of a region and of its exits become.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "predication/if_convert/control_classes.h"
#include "psi/analysis/uses.h"

namespace psi::predication {

struct MergeArgument {
  uint32_t of_class = ControlClasses::kAlways;  // when it is taken
  Operand value;
  bool is_partial = false;  // it may be undefined there, so that a psi cannot take it directly
  uint32_t origin = 0;      // the node that defines it; 0: it is defined before all decisions
  uint32_t edge = 0;
};

// The phi of a block or of an exit, or a returned value.
struct Merge {
  InstId phi;
  Type type = Type::none;
  uint32_t first = 0;
  uint32_t end = 0;
  bool is_partial = false;  // others merge it where none of its arguments is taken
};

class Merges {
 public:
  // Reads the blocks before conversion; the results stay valid during conversion. Near-linear.
  Merges(const Function& function, const Uses& uses, const RegionGraph& graph, const ControlClasses& classes);

  std::span<const Merge> of(uint32_t node) const {
    return std::span(merges_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  // In the order of their definitions; classes are disjoint, except that the first may be kAlways, the
  // default. At least one, unless all are undef.
  std::span<const MergeArgument> arguments(const Merge& merge) const {
    return std::span(arguments_).subspan(merge.first, merge.end - merge.first);
  }
  // kNone if it is not in the region.
  uint32_t node(BlockId b) const;

 private:
  void find(uint32_t node);
  void begin(InstId phi, Type type);
  void add(uint32_t edge, Operand value);
  void finish();
  bool is_partial(Operand value) const;
  bool is_merged(InstId phi) const;

  const Function& function_;
  const Uses& uses_;
  const RegionGraph& graph_;
  const ControlClasses& classes_;
  std::unordered_map<uint32_t, uint32_t> node_;  // by BlockId
  std::vector<Merge> merges_;
  std::vector<uint32_t> first_;  // by node, and one more: in merges_
  std::vector<MergeArgument> arguments_;
  std::unordered_map<uint32_t, Operand> values_;  // of one phi, by node
};

}  // namespace psi::predication
