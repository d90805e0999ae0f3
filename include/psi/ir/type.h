// The value types of the IR. There are no aggregates and no vectors: front ends lower them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace psi {

enum class Type : uint8_t { i1, i8, i16, i32, i64, f32, f64, ptr, none };

inline constexpr int kNumTypes = 8;

constexpr std::string_view type_name(Type type) {
  constexpr std::array<std::string_view, 9> kNames = {"i1",  "i8",  "i16", "i32", "i64",
                                                      "f32", "f64", "ptr", "none"};
  return kNames[static_cast<size_t>(type)];
}

// The type called `text`; nothing for any other word ("none" is not a type in programs).
std::optional<Type> type_from_name(std::string_view text);

constexpr bool is_int(Type type) { return type <= Type::i64; }
constexpr bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

// Width in bits; a pointer has 64.
constexpr unsigned bit_width(Type type) {
  constexpr std::array<uint8_t, 9> kBits = {1, 8, 16, 32, 64, 32, 64, 64, 0};
  return kBits[static_cast<size_t>(type)];
}

// Bytes that a value takes in memory, which is also its natural alignment. An i1 takes one byte.
constexpr unsigned byte_size(Type type) { return (bit_width(type) + 7) / 8; }

// All bits that a value of the type may have set.
constexpr uint64_t value_mask(Type type) {
  return bit_width(type) == 64 ? UINT64_MAX : (uint64_t{1} << bit_width(type)) - 1;
}

// The low bits of `bits` as a signed number of the type's width.
constexpr int64_t sign_extend(uint64_t bits, Type type) {
  unsigned shift = 64 - bit_width(type);
  return static_cast<int64_t>(bits << shift) >> shift;
}

}  // namespace psi
