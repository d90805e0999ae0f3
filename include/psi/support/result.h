// How the library reports failure: what can fail returns a Result, which holds a value, or says in
// Diagnostics why there is none.
//
//     Result<Module> module = parse(text);
//     if (!module) return complain(render(module, "a.psi", text));
//     use(*module);
//
// A lookup that finds nothing is no failure: it returns an optional, or null.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "psi/support/diagnostic.h"

namespace psi {

// Ends the program with the errors on standard error: somebody takes the value of a Result that has none.
[[noreturn]] void no_value(const Diagnostics& diagnostics);

// `Why`: Diagnostics, or a class of them that says more.
template <class T, class Why = Diagnostics>
class [[nodiscard]] Result {
  static_assert(std::is_base_of_v<Diagnostics, Why>);

 public:
  Result(T value) : value_(std::move(value)) {}
  // With warnings.
  Result(T value, Why warnings) : value_(std::move(value)), why_(std::move(warnings)) {}
  Result(Why errors) : why_(std::move(errors)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  // The value, which there must be.
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Why there is no value; warnings if there is one.
  const Why& diagnostics() const { return why_; }
  // The errors, one in a line.
  std::string message() const { return why_.text(); }

 private:
  T& value() {
    if (!value_) no_value(why_);
    return *value_;
  }
  const T& value() const {
    if (!value_) no_value(why_);
    return *value_;
  }

  std::optional<T> value_;
  Why why_;
};

// Of what has no value to give.
template <class Why>
class [[nodiscard]] Result<void, Why> {
  static_assert(std::is_base_of_v<Diagnostics, Why>);

 public:
  Result() = default;
  // A failure if there are errors.
  Result(Why why) : why_(std::move(why)) {}

  bool ok() const { return !why_.has_errors(); }
  explicit operator bool() const { return ok(); }
  const Why& diagnostics() const { return why_; }
  std::string message() const { return why_.text(); }

 private:
  Why why_;
};

template <class T, class Why>
std::string render(const Result<T, Why>& result, std::string_view file, std::string_view text,
                   bool colour = false) {
  return render(result.diagnostics(), file, text, colour);
}

// One error.
inline Diagnostics failure(std::string message) {
  Diagnostics diagnostics;
  diagnostics.error({}, std::move(message));
  return diagnostics;
}

}  // namespace psi
