// The textual form of a module (docs/ir.md): in and out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/diagnostic.h"
#include "psi/module.h"

namespace psi {

// Where the instructions of a parsed module stand in its text, for diagnostics of later checks.
class SourceMap {
 public:
  Location find(SymbolId function, InstId inst) const;
  Location find(SymbolId symbol) const;
  void add(SymbolId symbol, Location where);
  void add(SymbolId function, InstId inst, Location where);

 private:
  struct Entry {
    Location declared;
    std::vector<Location> insts;
  };
  std::vector<Entry> entries_;  // by SymbolId
};

// Nothing on errors, which `diagnostics` then holds. The result is well-formed text, not yet verified.
std::optional<Module> parse(std::string_view text, Diagnostics& diagnostics, SourceMap* map = nullptr);

std::string print(const Module& module);
std::string print(const Module& module, const Function& function);
// One instruction, without indentation or line end.
std::string print(const Module& module, const Function& function, InstId inst);
// `%x`, `!%x`, `42`, `@loop`, `$f` ...
std::string print(const Module& module, const Function& function, Operand operand);

// A literal alone: `-5`, `0x10`, `1.5`, `true`, `null`. Nothing if it is no value of the type.
std::optional<uint64_t> parse_literal(std::string_view text, Type type);
std::string print_literal(Type type, uint64_t bits);

// The register or block of this name or number, without its sigil, as the text would read it.
Reg find_reg(const Function& function, std::string_view name);
BlockId find_block(const Function& function, std::string_view name);

}  // namespace psi
