#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "psic/tool.h"

namespace psic {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Progress::Progress(std::string label) : label_(std::move(label)), terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  // Leaves an empty line for what comes next.
  if (terminal_ && last_ >= 0) fmt::print(stderr, "\r\033[K");
}

void Progress::show(uint64_t done, uint64_t total, std::string_view detail) {
  if (!terminal_) return;
  double time = now();
  if (last_ >= 0 && time - last_ < 0.1 && done != total) return;
  last_ = time;
  constexpr uint64_t kWidth = 30;
  uint64_t filled = total == 0 ? 0 : std::min(kWidth, done * kWidth / total);
  fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {}", label_, "", filled, "", kWidth - filled,
             total == 0 ? fmt::format("{}", done) : fmt::format("{}/{}", done, total));
  if (!detail.empty()) fmt::print(stderr, " {}", detail);
  std::fflush(stderr);
}

}  // namespace psic
