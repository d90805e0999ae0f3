// Programs that break one rule of the verifier each, collected from several files.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "psi/ir/function.h"
#include "psi/ir/module.h"

namespace psi::testing {

struct BrokenProgram {
  std::string_view rule;
  std::string_view text;
  // Where no text can break the rule: what to do to the module that the text makes, which by itself is fine.
  void (*edit)(Module&) = nullptr;
};

std::span<const BrokenProgram> broken_globals();
std::span<const BrokenProgram> broken_records();
std::span<const BrokenProgram> broken_types();
std::span<const BrokenProgram> broken_structure();
std::span<const BrokenProgram> broken_ssa();
std::span<const BrokenProgram> broken_forms();

// Programs that break no rule, of every form.
std::span<const std::string_view> valid_programs();

// For edits: the function $f, and its instructions in the order of the text.
inline Function& f(Module& module) { return *module.find_function("f"); }
inline InstId nth(const Function& function, size_t n) {
  for (BlockId b : function.layout()) {
    if (n < function.insts(b).size()) return function.insts(b)[n];
    n -= function.insts(b).size();
  }
  return InstId();
}
inline Inst& inst(Module& module, size_t n) { return f(module).inst(nth(f(module), n)); }

}  // namespace psi::testing
