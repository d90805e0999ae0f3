// Named counts of what a pass did, in the order in which they were first counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace psi {

class Counters {
 public:
  // Passes count the same things in the same order for every function, so the search starts after the last
  // hit.
  void add(std::string_view name, uint64_t amount) {
    for (size_t tried = 0; tried < all_.size(); ++tried) {
      size_t i = last_ + tried;
      if (i >= all_.size()) i -= all_.size();
      if (all_[i].first != name) continue;
      all_[i].second += amount;
      last_ = i;
      return;
    }
    last_ = all_.size();
    all_.emplace_back(name, amount);
  }
  void add(const Counters& other) {
    for (const auto& [name, count] : other.all_) add(name, count);
  }
  uint64_t operator[](std::string_view name) const {
    for (const auto& [known, count] : all_) {
      if (known == name) return count;
    }
    return 0;
  }
  const std::vector<std::pair<std::string, uint64_t>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, uint64_t>> all_;
  size_t last_ = 0;
};

}  // namespace psi
