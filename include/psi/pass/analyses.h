// The analyses of one function, made when first asked for and kept as long as they hold.
//
//     const Dominators& dominators = analyses.get<Dominators>();
//
// The cache is open: any class can be kept in it that has
//     A(const Function& function, Analyses& analyses);  // may ask for others, and refer to them
//     static constexpr Keeps kHoldsWith = ...;          // what a pass must keep for it to hold
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace psi {

class Function;

// What a pass leaves as it was; each includes those before it.
enum class Keeps : uint8_t {
  Nothing,
  ControlFlow,  // the graph of blocks
  All,
};

class Analyses {
 public:
  explicit Analyses(const Function& function) : function_(function) {}
  ~Analyses() { drop_from(0); }
  // Analyses refer to each other.
  Analyses(const Analyses&) = delete;
  Analyses& operator=(const Analyses&) = delete;

  // Linear in the number of kinds that are kept, which is small.
  template <class A>
  A& get() {
    for (const Entry& entry : entries_) {
      if (entry.kind == &kKind<A>) {
        holds_with_ = std::max(holds_with_, entry.holds_with);
        return *static_cast<A*>(entry.analysis);
      }
    }
    return make<A>();
  }

  // Call after the function has changed.
  void drop(Keeps keeps) {
    if (keeps == Keeps::All) return;
    // What an analysis refers to was made before it, and holds at least as long.
    for (size_t i = entries_.size(); i-- > 0;) {
      if (entries_[i].holds_with > keeps) entries_[i].destroy(entries_[i].analysis);
    }
    std::erase_if(entries_, [&](const Entry& entry) { return entry.holds_with > keeps; });
  }

 private:
  struct Entry {
    const char* kind;
    void* analysis;
    void (*destroy)(void*);
    Keeps holds_with;
  };

  // One address for each kind.
  template <class A>
  static constexpr char kKind = 0;

  template <class A>
  A& make() {
    // An analysis holds no longer than those that it was made of.
    Keeps outer = holds_with_;
    holds_with_ = A::kHoldsWith;
    auto made = std::make_unique<A>(function_, *this);
    entries_.push_back({&kKind<A>, made.get(), [](void* a) { delete static_cast<A*>(a); }, holds_with_});
    holds_with_ = std::max(outer, holds_with_);
    return *made.release();
  }

  void drop_from(size_t first) {
    for (size_t i = entries_.size(); i-- > first;) entries_[i].destroy(entries_[i].analysis);
    entries_.resize(first);
  }

  const Function& function_;
  std::vector<Entry> entries_;         // in the order in which they were finished
  Keeps holds_with_ = Keeps::Nothing;  // of those that the one being made has asked for so far
};

}  // namespace psi
