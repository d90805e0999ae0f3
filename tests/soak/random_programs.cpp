#include "random_programs.h"

#include "program_maker.h"

namespace psi::soak {

std::string_view sort_name(Sort sort) {
  constexpr std::string_view kNames[] = {"independent", "correlated", "structured", "unstructured"};
  return kNames[static_cast<size_t>(sort)];
}

Program random_program(Sort sort, uint64_t seed) {
  bool is_block = sort == Sort::Independent || sort == Sort::Correlated;
  return is_block ? random_block(sort == Sort::Correlated, seed)
                  : random_region(sort == Sort::Structured, seed);
}

}  // namespace psi::soak
