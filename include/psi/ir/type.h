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

// The width of a pointer is not the type's to say but the module's, 64 bits or 32: ask the function or the
// module (Function::bit_width and so on), or for the integer type of that width first.
constexpr Type address_type(unsigned pointer_bits) { return pointer_bits == 32 ? Type::i32 : Type::i64; }
// The type, or for a pointer the integer type that has its bits.
constexpr Type as_bits(Type type, unsigned pointer_bits) {
  return type == Type::ptr ? address_type(pointer_bits) : type;
}

// Width in bits. A pointer counts as 64 here, the widest that there is.
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
