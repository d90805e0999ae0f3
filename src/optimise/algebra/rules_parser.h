// From the text of a rule to its nodes.
#pragma once

#include <string>
#include <string_view>

#include "optimise/algebra/rules.h"

namespace psi::optimise {

// The text must have no alternatives. On an error, `error` says what is wrong.
Rule parse_rule(std::string_view name, std::string_view pattern, std::string_view replacement,
                std::string_view condition, std::string& error);

}  // namespace psi::optimise
