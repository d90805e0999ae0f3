// Writes JSON piece by piece: objects are too many to be built first.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace psi::explore {

// A comma is written where one is needed. Text is escaped so that it can also stand in a page: no `<`.
class Json {
 public:
  Json& open(char bracket) {
    comma();
    out_ += bracket;
    needs_comma_ = false;
    return *this;
  }
  Json& close(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
    return *this;
  }
  Json& key(std::string_view name) {
    comma();
    quote(name);
    out_ += ':';
    needs_comma_ = false;
    return *this;
  }
  Json& text(std::string_view text) {
    comma();
    quote(text);
    return *this;
  }
  Json& number(std::integral auto value) {
    comma();
    fmt::format_to(std::back_inserter(out_), "{}", value);
    return *this;
  }
  // To seven digits, which are the same on all machines.
  Json& real(double value);
  Json& truth(bool value) { return raw(value ? "true" : "false"); }
  Json& null() { return raw("null"); }
  // What is JSON already; nothing for nothing.
  Json& raw(std::string_view json) {
    if (json.empty()) return *this;
    comma();
    out_ += json;
    return *this;
  }

  const std::string& str() const { return out_; }
  std::string take() { return std::move(out_); }
  bool empty() const { return out_.empty(); }

 private:
  void comma() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
  }
  void quote(std::string_view text);

  std::string out_;
  bool needs_comma_ = false;
};

}  // namespace psi::explore
