// The options of a pipeline's step, one by one.
#pragma once

#include <string_view>
#include <vector>

namespace psi {

// `a=1,b` is `a=1` and `b`.
std::vector<std::string_view> split_options(std::string_view options);

}  // namespace psi
