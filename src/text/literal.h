// Literals as text, both ways.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "psi/ir/type.h"

namespace psi {

enum class FloatText : uint8_t { Ok, OutOfRange, NotAFloat };

// An unsigned decimal number, `inf` or `nan`, rounded to the type.
FloatText float_from_text(std::string_view text, Type type, uint64_t& bits);

// Appends the shortest text that reads back as the same value of the type. Is it written as `bits(...)`,
// which does not determine the type?
bool is_written_as_bits(Type type, uint64_t bits);
void append_literal(std::string& out, Type type, uint64_t bits);

}  // namespace psi
