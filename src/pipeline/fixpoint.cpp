#include "pipeline/fixpoint.h"

namespace psi {

void PassWalk::arrive() {
  if (at_end() || !list_[at_].opens) return;
  first_ = at_;
  rounds_ = 1;
  quiet_ = 0;
  size_ = 1;
  while (!list_[first_ + size_ - 1].closes) ++size_;
}

// Call at the end of each iteration.
bool PassWalk::is_last_round(uint32_t num_insts) {
  uint32_t before = num_insts_;
  num_insts_ = num_insts;
  if (rounds_ == kMaxRounds) return true;
  return rounds_ > 1 && before > kLarge && num_insts > before - before / kWorthwhile;
}

void PassWalk::next(bool changed, uint32_t num_insts) {
  if (in_group()) {
    quiet_ = changed ? 0 : quiet_ + 1;
    bool ends_round = list_[at_].closes;
    if (quiet_ < size_ && !(ends_round && is_last_round(num_insts))) {
      at_ = ends_round ? first_ : at_ + 1;
      rounds_ += ends_round;
      return;
    }
    at_ = first_ + size_ - 1;
    first_ = kNone;
  }
  ++at_;
  arrive();
}

}  // namespace psi
