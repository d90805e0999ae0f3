// What rooms above `target` work out of a description: made when first asked for, once for all threads, and kept
// as long as the description.
//
//     const SelectionPatterns& patterns = description.derived.get<SelectionPatterns>(description);
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace psi {

class Derived {
 public:
  Derived() = default;
  // A copy of a description makes its own.
  Derived(const Derived&) {}
  Derived& operator=(const Derived&) { return *this; }

  template <class T, class Description>
  const T& get(const Description& description) const {
    std::lock_guard lock(mutex_);
    for (const auto& [kind, made] : kept_) {
      if (kind == &kKind<T>) return *static_cast<const T*>(made.get());
    }
    std::shared_ptr<const T> made = std::make_shared<const T>(description);
    const T& result = *made;
    kept_.emplace_back(&kKind<T>, std::move(made));
    return result;
  }

 private:
  // One address for each kind.
  template <class T>
  static constexpr char kKind = 0;

  mutable std::mutex mutex_;
  mutable std::vector<std::pair<const char*, std::shared_ptr<const void>>> kept_;
};

}  // namespace psi
