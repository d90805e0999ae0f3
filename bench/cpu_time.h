// The processor's time of this thread: what else the machine does disturbs it least.
#pragma once

#include <ctime>

namespace psi::bench {

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace psi::bench
