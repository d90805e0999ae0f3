// Programs from text, which must be right.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "psi/text/text.h"

namespace psi::testing {

// An empty module, and a failure, if it does not parse.
inline Module parse_or_die(std::string_view text) {
  Result<Module> module = parse(text);
  if (module) return std::move(*module);
  ADD_FAILURE() << render(module, "test", text);
  return {};
}

// The first function of the text.
inline Function parse_function(std::string_view text) {
  Module module = parse_or_die(text);
  if (module.declarations().empty()) return {};
  return module.function(module.declarations()[0]);
}

inline Reg reg_named(const Function& function, std::string_view name) {
  for (uint32_t r = 0; r < function.num_regs(); ++r) {
    if (function.name(Reg(r)) == name) return Reg(r);
  }
  ADD_FAILURE() << "no register " << name;
  return Reg();
}

inline size_t num_instructions(const Function& function) {
  size_t count = 0;
  for (BlockId b : function.layout()) count += function.insts(b).size();
  return count;
}

}  // namespace psi::testing
