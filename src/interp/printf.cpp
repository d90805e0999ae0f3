// printf on the program's memory: %d %i %u %x %X %o %c %s %p %f %F %g %G %e %E %%, with flags, width,
// precision, `*`, and the lengths hh h l ll z j t.
#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "interp/externals.h"

namespace psi::interp {
namespace {

// Wide enough for any sensible program, small enough that one call cannot fill the memory.
constexpr int kMaxField = 4096;
constexpr size_t kMaxText = 64 << 20;

class Formatter {
 public:
  Formatter(Memory& memory, const ExternalArguments& arguments, std::string& text, ExternalResult& failure)
      : memory_(memory), arguments_(arguments), text_(text), failure_(failure) {}

  bool run() {
    if (!read_string(memory_, arguments_.bits[0], UINT64_MAX, "printf", format_, failure_)) return false;
    while (at_ < format_.size()) {
      size_t percent = format_.find('%', at_);
      text_.append(format_, at_, percent == std::string::npos ? percent : percent - at_);
      if (percent == std::string::npos) break;
      at_ = percent + 1;
      if (!conversion()) return false;
      if (text_.size() > kMaxText) return fail(unsupported("printf: more than 64 MiB of text"));
    }
    return true;
  }

 private:
  enum class Length { None, Char, Short, Pointer, Long };

  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  bool fail(ExternalResult failure) {
    failure_ = std::move(failure);
    return false;
  }

  // The next argument, which must have this type.
  bool take(Type type, uint64_t& bits) {
    if (next_ >= arguments_.bits.size()) {
      return fail(unsupported(fmt::format("printf: the format \"{}\" wants more arguments than {}", format_,
                                          arguments_.bits.size() - 1)));
    }
    if (arguments_.types[next_] != type) {
      return fail(
          unsupported(fmt::format("printf: argument {} of the format \"{}\" must be {}, not {}", next_,
                                  format_, type_name(type), type_name(arguments_.types[next_]))));
    }
    bits = arguments_.bits[next_++];
    return true;
  }

  // A number in the format or an argument for `*`; nothing if there is neither.
  bool number(std::optional<int>& result) {
    int value = 0;
    if (peek() == '*') {
      ++at_;
      uint64_t bits = 0;
      if (!take(Type::i32, bits)) return false;
      value = static_cast<int>(sign_extend(bits, Type::i32));
    } else if (peek() < '0' || peek() > '9') {
      return true;
    } else {
      while (peek() >= '0' && peek() <= '9') {
        if (value <= kMaxField) value = value * 10 + (peek() - '0');
        ++at_;
      }
    }
    if (value > kMaxField || value < -kMaxField) {
      return fail(unsupported(fmt::format("printf: a width or precision above {}", kMaxField)));
    }
    result = value;
    return true;
  }

  Length length() {
    auto accept = [&](std::string_view word) {
      if (std::string_view(format_).substr(at_, word.size()) != word) return false;
      at_ += word.size();
      return true;
    };
    if (accept("hh")) return Length::Char;
    if (accept("h")) return Length::Short;
    if (accept("ll") || accept("j")) return Length::Long;
    if (accept("l") || accept("z") || accept("t")) return Length::Pointer;
    return Length::None;
  }

  bool conversion() {
    std::string flags = "%";
    while (peek() != '\0' && std::strchr("-+ #0", peek())) {
      if (flags.find(peek(), 1) == std::string::npos) flags += peek();
      ++at_;
    }
    std::optional<int> width;
    if (!number(width)) return false;
    // A negative width, which only `*` can give, is the flag `-` and a width.
    if (width) flags += fmt::format("{}{}", *width < 0 ? "-" : "", std::abs(*width));
    std::optional<int> precision;
    if (peek() == '.') {
      ++at_;
      precision = 0;
      if (!number(precision)) return false;
      // A negative one counts as none.
      if (*precision < 0) precision.reset();
    }
    if (precision) flags += fmt::format(".{}", *precision);
    Length size = length();
    char kind = peek();
    ++at_;
    switch (kind) {
      case '%':
        text_ += '%';
        return true;
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        return integer(flags, kind, size);
      case 'c':
        return character(flags);
      case 's':
        return string(flags, precision);
      case 'p': {
        uint64_t bits = 0;
        if (!take(Type::ptr, bits)) return false;
        // Spelt here, since C libraries differ.
        std::string address = bits == 0 ? "(nil)" : fmt::format("{:#x}", bits);
        print(flags + "s", address.c_str());
        return true;
      }
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G': {
        uint64_t bits = 0;
        if (!take(Type::f64, bits)) return false;
        print(flags + kind, std::bit_cast<double>(bits));
        return true;
      }
      default:
        return fail(unsupported(kind == '\0' ? "printf: the format ends within a conversion"
                                             : fmt::format("printf: conversion %{}", kind)));
    }
  }

  bool integer(const std::string& flags, char kind, Length size) {
    bool is_wide = size == Length::Long || (size == Length::Pointer && !memory_.is_flat());
    Type type = is_wide ? Type::i64 : Type::i32;
    uint64_t bits = 0;
    if (!take(type, bits)) return false;
    if (size == Length::Char) type = Type::i8;
    if (size == Length::Short) type = Type::i16;
    if (kind == 'd' || kind == 'i') {
      print(flags + "lld", static_cast<long long>(sign_extend(bits, type)));
    } else {
      print(flags + "ll" + kind, static_cast<unsigned long long>(bits & value_mask(type)));
    }
    return true;
  }

  bool character(const std::string& flags) {
    uint64_t bits = 0;
    if (!take(Type::i32, bits)) return false;
    print(flags + "c", static_cast<int>(bits & 0xff));
    return true;
  }

  bool string(const std::string& flags, std::optional<int> precision) {
    uint64_t address = 0;
    if (!take(Type::ptr, address)) return false;
    std::string value;
    uint64_t limit = precision ? static_cast<uint64_t>(*precision) : UINT64_MAX;
    if (!read_string(memory_, address, limit, "printf", value, failure_)) return false;
    print(flags + "s", value.c_str());
    return true;
  }

  template <class T>
  void print(const std::string& format, T value) {
    int size = std::snprintf(nullptr, 0, format.c_str(), value);
    if (size <= 0) return;
    size_t old = text_.size();
    text_.resize(old + static_cast<size_t>(size) + 1);
    std::snprintf(text_.data() + old, static_cast<size_t>(size) + 1, format.c_str(), value);
    text_.pop_back();
  }

  Memory& memory_;
  const ExternalArguments& arguments_;
  std::string& text_;
  ExternalResult& failure_;
  std::string format_;
  size_t at_ = 0;
  size_t next_ = 1;
};

}  // namespace

bool format_printf(Memory& memory, const ExternalArguments& arguments, std::string& text,
                   ExternalResult& failure) {
  return Formatter(memory, arguments, text, failure).run();
}

}  // namespace psi::interp
