// The order of passes in one function, with groups that are repeated until nothing changes.
#pragma once

#include <cstdint>

#include "psi/pipeline/pass_table.h"

namespace psi {

// Walks a list:
//
//     for (PassWalk walk(list); !walk.at_end(); walk.next(changed, size)) run(list[walk.index()]);
//
// A group ends as soon as each of its passes has run without effect since the last change, even within an
// iteration. In a large function it ends after an iteration that made the function hardly smaller: later
// iterations find little and take as long.
class PassWalk {
 public:
  // The most iterations of a group, should its passes undo each other's work.
  static constexpr uint32_t kMaxIterations = 12;
  // The size of a large function in instructions, and the inverse of the part that every iteration but the
  // first has to remove.
  static constexpr uint32_t kLarge = 100'000;
  static constexpr uint32_t kWorthwhile = 100;

  explicit PassWalk(const PassList& list) : list_(list) { arrive(); }

  bool at_end() const { return at_ == list_.size(); }
  size_t index() const { return at_; }
  // Does it matter whether the pass changes something?
  bool in_group() const { return first_ != kNone; }
  // From 1, within a group; 0 outside.
  uint32_t iteration() const { return in_group() ? iterations_ : 0; }
  // In a group: has the pass changed something, and how many instructions are there now?
  void next(bool changed, uint32_t num_insts);

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void arrive();
  bool is_last_iteration(uint32_t num_insts);

  const PassList& list_;
  size_t at_ = 0;
  // The group that the walk is in.
  size_t first_ = kNone;
  uint32_t iterations_ = 0;  // begun
  uint32_t num_insts_ = 0;   // at the end of the last iteration
  size_t size_ = 0;          // passes in it
  size_t quiet_ = 0;         // runs since something changed
};

}  // namespace psi
