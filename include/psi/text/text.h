// The textual form of a module (docs/ir.md): in and out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "psi/ir/display_names.h"
#include "psi/ir/instruction_set.h"
#include "psi/ir/module.h"
#include "psi/support/result.h"

namespace psi {

// The places of a parsed module's instructions in its text, for diagnostics of later checks.
class SourceMap {
 public:
  Location find(SymbolId function, InstId inst) const;
  Location find(SymbolId function, BlockId block) const;
  Location find(SymbolId symbol) const;
  void add(SymbolId symbol, Location where);
  void add(SymbolId function, BlockId block, Location where);
  void add(SymbolId function, InstId inst, Location where);

 private:
  struct Entry {
    Location declared;
    std::vector<Location> insts;   // by InstId
    std::vector<Location> blocks;  // by BlockId: the label
  };
  std::vector<Entry> entries_;  // by SymbolId
};

// A module from well-formed text, not yet verified. `map`, if given, is filled in. Functions may name the targets
// of `sets`, whose instructions they have; without it none.
Result<Module> parse(std::string_view text, SourceMap* map = nullptr, const InstructionSets* sets = nullptr);

std::string print(const Module& module);
std::string print(const Module& module, const Function& function);
// One instruction, without indentation or line end.
std::string print(const Module& module, const Function& function, InstId inst);
// `%x`, `!%x`, `42`, `@loop`, `$f` ...
std::string print(const Module& module, const Function& function, Operand operand);

// A literal alone: `-5`, `0x10`, `1.5`, `true`, `null`. Nothing if it is not a value of the type.
std::optional<uint64_t> parse_literal(std::string_view text, Type type);
std::string print_literal(Type type, uint64_t bits);

// The register or block of this name or number, without its sigil, as the parser reads it.
Reg find_reg(const Function& function, std::string_view name);
BlockId find_block(const Function& function, std::string_view name);

}  // namespace psi
