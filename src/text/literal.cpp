#include "text/literal.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>

namespace psi {
namespace {

constexpr uint64_t quiet_nan(Type type) { return type == Type::f32 ? 0x7fc00000 : 0x7ff8000000000000; }

template <class Float, class Bits>
FloatText convert(std::string_view text, uint64_t& bits) {
  Float value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
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
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, sign_extend(bits, type));
    out.append(buffer, end);
    return;
  }
  double value = type == Type::f32 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                                   : std::bit_cast<double>(bits);
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
  } else if (bits == quiet_nan(type)) {
    out += "nan";
  } else if (std::isnan(value)) {
    fmt::format_to(std::back_inserter(out), "bits(0x{:x})", bits);
  } else if (type == Type::f32) {
    append_float(out, std::bit_cast<float>(static_cast<uint32_t>(bits)));
  } else {
    append_float(out, value);
  }
}

}  // namespace psi
