// Makes the psis of a region in its single block.
#pragma once

#include <cstdint>
#include <vector>

#include "predication/if_convert/merges.h"
#include "predication/if_convert/region_predicates.h"

namespace psi::predication {

class RegionPsis {
 public:
  // New instructions go where the builder stands.
  RegionPsis(Builder& builder, const Target& target, const Merges& merges, RegionPredicates& predicates)
      : builder_(builder),
        function_(builder.function()),
        target_(target),
        merges_(merges),
        predicates_(predicates) {}

  // The phi becomes a psi, or a copy.
  void define(const Merge& merge);
  // Of an exit's phi, or of what is returned: at the end of the region.
  Operand value(const Merge& merge);
  // Guards the arguments of an existing psi in a block of this class.
  void guard_arguments(InstId psi, uint32_t c);

  uint64_t num_psis() const { return psis_; }
  uint64_t num_copies() const { return copies_; }

 private:
  void make_total(InstId psi);
  void set_merged(InstId id, const Merge& merge);
  Operand copy(Operand value, Type type, uint32_t of_class);

  Builder& builder_;
  Function& function_;
  const Target& target_;
  const Merges& merges_;
  RegionPredicates& predicates_;
  std::vector<Operand> pairs_;
  uint64_t psis_ = 0, copies_ = 0;
};

}  // namespace psi::predication
