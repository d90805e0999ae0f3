// A bar on a terminal.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "psic/output.h"

namespace psic {
namespace {

constexpr std::string_view kClear = "\r\033[K";  // the line

// Of the terminal: a longer line would not be cleared.
size_t columns() {
  constexpr size_t kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// `75 s`, `3:20`, `2:05:00`.
std::string clock_time(double seconds) {
  constexpr uint64_t kMinute = 60, kHour = 3600, kAsSeconds = 100;
  auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole < kAsSeconds) return fmt::format("{} s", whole);
  if (whole < kHour) return fmt::format("{}:{:02}", whole / kMinute, whole % kMinute);
  return fmt::format("{}:{:02}:{:02}", whole / kHour, whole % kHour / kMinute, whole % kMinute);
}

}  // namespace

Progress::Progress(std::string label, double limit)
    : label_(std::move(label)), limit_(limit), terminal_(isatty(STDERR_FILENO)), start_(now()) {}

Progress::~Progress() {
  // Leaves an empty line for the following output.
  if (terminal_ && last_ >= 0) say(kClear);
}

void Progress::show(uint64_t done, uint64_t total, std::string_view unit, std::string_view detail) {
  constexpr double kBetween = 0.1, kBeforeRate = 0.5;  // seconds
  if (!terminal_) return;
  double time = now();
  if (last_ >= 0 && time - last_ < kBetween && done != total) return;
  last_ = time;
  double spent = time - start_;
  double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  if (limit_ > 0) share = std::max(share, spent / limit_);
  constexpr uint64_t kWidth = 20;
  auto filled = static_cast<uint64_t>(std::min(share, 1.0) * kWidth);
  std::string line =
      fmt::format("{}{} [{:#<{}}{:.<{}}] {} {}", kClear, label_, "", filled, "", kWidth - filled,
                  total == 0 ? fmt::format("{}", done) : fmt::format("{}/{}", done, total), unit);
  if (spent > kBeforeRate && done > 0) {
    double rate = static_cast<double>(done) / spent;
    line += fmt::format(", {:.{}f}/s", rate, rate < 10 ? 1 : 0);
    double left = total > done ? static_cast<double>(total - done) / rate : 0;
    if (limit_ > 0 && (total == 0 || limit_ - spent < left)) left = std::max(limit_ - spent, 0.0);
    if (left > 0) line += fmt::format(", {} left", clock_time(left));
  }
  if (!detail.empty()) line += fmt::format(", {}", detail);
  say(std::string_view(line).substr(0, kClear.size() + columns() - 1));
}

}  // namespace psic
