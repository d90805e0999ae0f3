// The times of the steps of a pass, in the order in which they were first timed.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace psi {

class StepTimes {
 public:
  void add(std::string_view step, double seconds) {
    for (auto& [known, total] : all_) {
      if (known == step) {
        total += seconds;
        return;
      }
    }
    all_.emplace_back(step, seconds);
  }
  void add(const StepTimes& other) {
    for (const auto& [step, seconds] : other.all_) add(step, seconds);
  }
  const std::vector<std::pair<std::string, double>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, double>> all_;
};

// Times steps that follow each other.
class StepClock {
 public:
  explicit StepClock(StepTimes& times) : times_(&times) {}
  // Charges the time since the last step's end, or since the clock's construction, to this step.
  void end(std::string_view step) {
    auto now = std::chrono::steady_clock::now();
    times_->add(step, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  StepTimes* times_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace psi
