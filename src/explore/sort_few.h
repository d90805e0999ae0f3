// A stable sort of short lists, or of long ones that are nearly in order. (That of the standard library uses
// what it has deprecated, which clang tells.)
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace psi::explore {

template <class T, class Before>
void sort_few(std::vector<T>& list, Before before) {
  for (size_t i = 1; i < list.size(); ++i) {
    for (size_t j = i; j > 0 && before(list[j], list[j - 1]); --j) std::swap(list[j], list[j - 1]);
  }
}

}  // namespace psi::explore
