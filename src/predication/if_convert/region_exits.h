// The terminators of a converted region, one for each exit.
//
//     %p ? br @a           br %p, @a, @next            with guarded branches, and without
//     br @b         or     @next: br @b
#pragma once

#include <cstdint>
#include <vector>

#include "predication/if_convert/merges.h"
#include "predication/if_convert/region_predicates.h"
#include "predication/if_convert/region_psis.h"
#include "psi/analysis/cfg.h"

namespace psi::predication {

class RegionExits {
 public:
  // The builder stands in the region's block.
  RegionExits(Builder& builder, const Cfg& cfg, const Target& target, const RegionGraph& graph,
              const ControlClasses& classes, const Merges& merges, const RegionPredicates& predicates,
              RegionPsis& psis)
      : builder_(builder),
        function_(builder.function()),
        cfg_(cfg),
        target_(target),
        graph_(graph),
        classes_(classes),
        merges_(merges),
        predicates_(predicates),
        psis_(psis) {}

  // Empties the region's other blocks.
  void leave();
  uint64_t num_branches() const { return branches_; }

 private:
  // An entry of a phi for the region.
  struct Entry {
    uint32_t node = 0;
    InstId phi;
    Operand value;
  };

  void merge_values();
  bool is_entered_from_region_only(uint32_t exit) const;
  void absorb_phis(uint32_t exit);
  void emit();
  void leave_by(uint32_t node);
  void branch(Guard guard, BlockId then, BlockId otherwise);
  BlockId return_block(uint32_t node);
  void redirect_phis();

  Builder& builder_;
  Function& function_;
  const Cfg& cfg_;
  const Target& target_;
  const RegionGraph& graph_;
  const ControlClasses& classes_;
  const Merges& merges_;
  const RegionPredicates& predicates_;
  RegionPsis& psis_;
  std::vector<Entry> entries_;
  std::vector<Operand> returned_;  // by node
  std::vector<BlockId> from_;      // by node: the block that leaves by this exit
  uint64_t branches_ = 0;
};

}  // namespace psi::predication
