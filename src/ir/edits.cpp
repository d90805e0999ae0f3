#include "psi/ir/edits.h"

#include <algorithm>
#include <utility>

namespace psi {

void BlockEdits::apply(Function& function, BlockId block) {
  if (empty()) return;
  std::sort(insertions_.begin(), insertions_.end(), [](const Insertion& a, const Insertion& b) {
    return std::pair(a.position, a.sequence) < std::pair(b.position, b.sequence);
  });
  std::sort(removals_.begin(), removals_.end());

  std::span<const InstId> old = function.insts(block);
  scratch_.clear();
  auto insertion = insertions_.begin();
  auto removal = removals_.begin();
  for (uint32_t position = 0; position <= old.size(); ++position) {
    for (; insertion != insertions_.end() && insertion->position == position; ++insertion) {
      scratch_.push_back(insertion->inst);
    }
    if (position == old.size()) break;
    bool removed = false;
    for (; removal != removals_.end() && *removal == position; ++removal) removed = true;
    if (!removed) scratch_.push_back(old[position]);
  }
  function.set_insts(block, scratch_);
  insertions_.clear();
  removals_.clear();
}

}  // namespace psi
