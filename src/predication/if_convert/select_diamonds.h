// A branch in the place of selects.
//
//     @b: %c = cmp.gt.i32 %k, %x               @b: %c = cmp.gt.i32 %k, %x
//         %p = select.ptr %c, %l, %r               br %c, @t, @e
//         %a = ptrindex %p, %i, 4, 0           @t: %a1 = ptrindex %l, %i, 4, 0
//         %v = load.i32 %a              ==>        %v1 = load.i32 %a1
//         br @z                                    br @j
//                                              @e: %a2 = ptrindex %r, %i, 4, 0
//                                                  %v2 = load.i32 %a2
//                                                  br @j
//                                              @j: %v = phi.i32 [@t: %v1], [@e: %v2]
//                                                  br @z
#pragma once

#include <array>
#include <vector>

#include "psi/analysis/defined.h"
#include "psi/analysis/uses.h"
#include "psi/ir/function.h"

namespace psi::predication {

struct SelectDiamond {
  BlockId head;
  std::array<BlockId, 2> sides;  // condition true, and false
  BlockId tail;
  InstId branch;
};

// Diamonds of different blocks. Uses and facts must be those of the function before the first.
class SelectDiamonds {
 public:
  SelectDiamonds(Function& function, const Uses& uses, const Defined& defined)
      : function_(function), uses_(uses), defined_(defined) {}

  // May the select become a branch?
  bool can_make(InstId select) const;
  // Splits the block of the select. All selects behind the branch that have the same condition, and whose
  // operands are known before it, become phis; loads from an address that the branch chooses are done on both
  // sides. Linear in the block.
  SelectDiamond make(InstId select);
  // The new blocks get their places in the layout.
  void finish();

 private:
  bool chooses(InstId id, Operand condition) const;
  bool is_known(Operand operand) const;
  void split(SelectDiamond& diamond, InstId select, Operand condition);
  void add_branch(const SelectDiamond& diamond, InstId select, Operand condition);
  void choose_values(const SelectDiamond& diamond, Operand condition);
  void pull_loads(const SelectDiamond& diamond);
  bool pull_load(const SelectDiamond& diamond, InstId address);
  Reg copy_to_side(InstId id, Operand address, BlockId side);
  void become_phi(InstId id, const SelectDiamond& diamond, std::array<Operand, 2> values);

  Function& function_;
  const Uses& uses_;
  const Defined& defined_;
  std::vector<SelectDiamond> made_;
  // Of the diamond at hand.
  uint32_t first_ = 0;        // the place of the branch in the old block
  std::vector<InstId> tail_;  // what follows, but for phis
  std::vector<InstId> phis_;
};

}  // namespace psi::predication
