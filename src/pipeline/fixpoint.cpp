#include "pipeline/fixpoint.h"

namespace psi {

void PassWalk::arrive() {
  if (at_end() || !list_[at_].opens) return;
  first_ = at_;
  iterations_ = 1;
  quiet_ = 0;
  size_ = 1;
  while (!list_[first_ + size_ - 1].closes) ++size_;
}

// Call at the end of each iteration.
bool PassWalk::is_last_iteration(uint32_t num_insts) {
  uint32_t before = num_insts_;
  num_insts_ = num_insts;
  if (iterations_ == kMaxIterations) return true;
  return iterations_ > 1 && before > kLarge && num_insts > before - before / kWorthwhile;
}

void PassWalk::next(bool changed, uint32_t num_insts) {
  if (in_group()) {
    quiet_ = changed ? 0 : quiet_ + 1;
    bool ends_iteration = list_[at_].closes;
    if (quiet_ < size_ && !(ends_iteration && is_last_iteration(num_insts))) {
      at_ = ends_iteration ? first_ : at_ + 1;
      iterations_ += ends_iteration;
      return;
    }
    at_ = first_ + size_ - 1;
    first_ = kNone;
  }
  ++at_;
  arrive();
}

}  // namespace psi
