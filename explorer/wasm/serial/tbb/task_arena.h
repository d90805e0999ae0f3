// The part of oneTBB that psic uses, for machines with one thread.
#pragma once

namespace tbb {

class task_arena {
 public:
  static constexpr int automatic = -1;
  explicit task_arena(int) {}

  template <class Work>
  void execute(const Work& work) {
    work();
  }
};

}  // namespace tbb
