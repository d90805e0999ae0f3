// The order of passes in one function, with groups that are repeated until nothing changes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "psi/pass.h"

namespace psi {

// Walks a list:
//
//     for (PassWalk walk(list, size); !walk.at_end(); walk.next(changed)) run(list[walk.index()]);
//
// A group ends as soon as each of its passes has found nothing to do since something changed, in the midst of
// a round or not.
class PassWalk {
 public:
  // Rounds of a group at most, should its passes undo each other's work. A large function gets fewer, for all
  // but the first few find little.
  static constexpr uint32_t kMaxRounds = 12;
  static constexpr uint32_t kMinRounds = 3;
  static constexpr uint32_t kMaxInstsInRounds = 3'000'000;

  PassWalk(const PassList& list, uint32_t num_insts)
      : list_(list),
        max_rounds_(std::clamp(kMaxInstsInRounds / std::max(num_insts, 1u), kMinRounds, kMaxRounds)) {
    arrive();
  }

  bool at_end() const { return at_ == list_.size(); }
  size_t index() const { return at_; }
  // Is it of interest whether the pass changes something?
  bool in_group() const { return first_ != kNone; }
  void next(bool changed);

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void arrive();

  const PassList& list_;
  uint32_t max_rounds_;
  size_t at_ = 0;
  // The group that the walk is in.
  size_t first_ = kNone;
  uint32_t rounds_ = 0;  // begun
  size_t size_ = 0;      // passes in it
  size_t quiet_ = 0;     // runs since something changed
};

}  // namespace psi
