#include "text/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string>
#include <type_traits>

namespace psi {
namespace {

constexpr uint64_t quiet_nan(Type type) { return type == Type::f32 ? 0x7fc00000 : 0x7ff8000000000000; }

#ifdef __cpp_lib_to_chars
using std::from_chars;
#else
// libc++ 19 reads integers only. strto* takes more than from_chars does: hexadecimal, and names.
template <class Float>
std::from_chars_result from_chars(const char* first, const char* last, Float& value) {
  std::string text(first, last);
  text.resize(std::min(text.find_first_not_of("0123456789.e+-"), text.size()));
  char* end = nullptr;
  if constexpr (std::is_same_v<Float, float>) {
    value = std::strtof(text.c_str(), &end);
  } else {
    value = std::strtod(text.c_str(), &end);
  }
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  bool written_as_zero = text.substr(0, text.find('e')).find_first_of("123456789") == std::string::npos;
  bool in_range = std::isfinite(value) && (value != 0 || written_as_zero);
  return {first + (end - text.c_str()), in_range ? std::errc() : std::errc::result_out_of_range};
}
#endif

template <class Float, class Bits>
FloatText convert(std::string_view text, uint64_t& bits) {
  Float value;
  auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return FloatText::NotAFloat;
  if (error == std::errc::result_out_of_range) return FloatText::OutOfRange;
  bits = std::bit_cast<Bits>(value);
  return FloatText::Ok;
}

template <class Float>
void append_float(std::string& out, Float value) {
  size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  // A float looks like one.
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

}  // namespace

FloatText float_from_text(std::string_view text, Type type, uint64_t& bits) {
  if (text == "inf") {
    bits = type == Type::f32 ? 0x7f800000 : 0x7ff0000000000000;
    return FloatText::Ok;
  }
  if (text == "nan") {
    bits = quiet_nan(type);
    return FloatText::Ok;
  }
  if (text.empty() || text[0] < '0' || text[0] > '9') return FloatText::NotAFloat;
  return type == Type::f32 ? convert<float, uint32_t>(text, bits) : convert<double, uint64_t>(text, bits);
}

bool is_written_as_bits(Type type, uint64_t bits) {
  if (!is_float(type) || bits == quiet_nan(type)) return false;
  return type == Type::f32 ? std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                           : std::isnan(std::bit_cast<double>(bits));
}

void append_literal(std::string& out, Type type, uint64_t bits) {
  if (type == Type::i1) {
    out += bits ? "true" : "false";
    return;
  }
  if (type == Type::ptr && bits == 0) {
    out += "null";
    return;
  }
  if (!is_float(type)) {
    char buffer[24];
    // A pointer's bits count as those of 64, whatever its width: the parser reads the same.
    int64_t value = type == Type::ptr ? static_cast<int64_t>(bits) : sign_extend(bits, type);
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    out.append(buffer, end);
    return;
  }
  double real = type == Type::f32 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                                  : std::bit_cast<double>(bits);
  if (std::isinf(real)) {
    out += real < 0 ? "-inf" : "inf";
  } else if (bits == quiet_nan(type)) {
    out += "nan";
  } else if (std::isnan(real)) {
    fmt::format_to(std::back_inserter(out), "bits(0x{:x})", bits);
  } else if (type == Type::f32) {
    append_float(out, std::bit_cast<float>(static_cast<uint32_t>(bits)));
  } else {
    append_float(out, real);
  }
}

}  // namespace psi
