// What someone may have meant by a word that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace psi {

// ` (did you mean 'add'?)` for the known word that is closest; nothing if none is close.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace psi
