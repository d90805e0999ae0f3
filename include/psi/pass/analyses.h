// The analyses of one function, made when first asked for and kept as long as they hold.
//
//     const Dominators& dominators = analyses.get<Dominators>();
//
// The cache is open: any class can be kept in it that has
//     A(const Function& function, Analyses& analyses);  // may ask for others, and refer to them
//     static constexpr Keeps kHoldsWith = ...;          // what a pass must keep for it to hold
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace psi {

class Function;

// What a pass leaves as it was; each includes those before it.
enum class Keeps : uint8_t {
  Nothing,
  ControlFlow,  // the graph of blocks
  Predicates,   // what predicates and guards mean: what defines them, copies, and psis
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

  bool empty() const { return entries_.empty(); }

  // For checks of passes: is everything kept as it would be if it were made now? Only analyses that can be
  // compared (operator==) are looked at. If not, the name of one that no longer holds.
  std::optional<std::string_view> outdated() const {
    for (const Entry& entry : entries_) {
      if (entry.is_current && !entry.is_current(entry.analysis, function_)) return entry.name;
    }
    return std::nullopt;
  }

  // Call after the function has changed. Passes call it where they go on with changed code, or leave code that
  // analyses have not seen although it was the same before.
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
    bool (*is_current)(const void*, const Function&);  // null: cannot be compared
    std::string_view name;
    Keeps holds_with;
  };

  // One address for each kind.
  template <class A>
  static constexpr char kKind = 0;

  // As the compiler writes it: `... [with A = psi::Dominators; ...]`.
  template <class A>
  static constexpr std::string_view name_of() {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("A = ") + 4);
    return text.substr(0, text.find_first_of(";]"));
  }

  template <class A>
  A& make() {
    // An analysis holds no longer than those that it was made of.
    Keeps outer = holds_with_;
    holds_with_ = A::kHoldsWith;
    auto made = std::make_unique<A>(function_, *this);
    entries_.push_back({&kKind<A>, made.get(), [](void* a) { delete static_cast<A*>(a); },
                        comparison<A>(), name_of<A>(), holds_with_});
    holds_with_ = std::max(outer, holds_with_);
    return *made.release();
  }

  template <class A>
  static constexpr auto comparison() -> bool (*)(const void*, const Function&) {
    if constexpr (std::equality_comparable<A>) {
      return [](const void* kept, const Function& function) {
        Analyses anew(function);
        return anew.get<A>() == *static_cast<const A*>(kept);
      };
    } else {
      return nullptr;
    }
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
