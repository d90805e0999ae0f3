// Suggestions for unknown words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace psi {

// ` (did you mean 'add'?)` for the closest known word; empty if none is close.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace psi
