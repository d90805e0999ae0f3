#include "pipeline/fixpoint.h"

namespace psi {

void PassWalk::arrive() {
  if (at_end() || !list_[at_].opens) return;
  first_ = at_;
  rounds_ = 1;
  last_change_ = kNone;
}

void PassWalk::leave_group() {
  while (!list_[at_].closes) ++at_;
  first_ = kNone;
}

void PassWalk::next(bool changed) {
  if (changed) last_change_ = at_;
  if (in_group() && list_[at_].closes) {
    if (last_change_ != kNone && rounds_ < kMaxRounds) {
      at_ = first_;
      ++rounds_;
      if (at_ != last_change_) return;
    }
    leave_group();
  } else if (in_group() && rounds_ > 1 && at_ + 1 == last_change_) {
    leave_group();
  }
  ++at_;
  arrive();
}

}  // namespace psi
