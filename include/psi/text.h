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

// How the text writes the registers and blocks of a function: by name or number, in quotes where the name
// needs them, with a number behind it where another one bears it, too. Refers to the function, whose names
// must stay as they are.
class DisplayNames {
 public:
  // Of nothing.
  DisplayNames() = default;
  // Linear.
  explicit DisplayNames(const Function& function);
  // Does not look for names that two bear, and so takes no time: for messages about single things.
  static DisplayNames as_stored(const Function& function);

  // Appends `%x`.
  void append(std::string& out, Reg r) const;
  // Appends `@loop`.
  void append(std::string& out, BlockId b) const;
  // The name alone, without quotes; empty if the text writes the number.
  std::string_view name(Reg r) const { return pick(reg_renames_, r.index(), function_->name(r)); }
  std::string_view name(BlockId b) const { return pick(block_renames_, b.index(), function_->name(b)); }

 private:
  static std::string_view pick(const std::vector<std::string>& renames, uint32_t index,
                               std::string_view stored) {
    return renames.empty() || renames[index].empty() ? stored : renames[index];
  }

  const Function* function_ = nullptr;
  std::vector<std::string> reg_renames_;    // by Reg; an empty string, or no strings at all: as stored
  std::vector<std::string> block_renames_;  // by BlockId, likewise
};

// A literal alone: `-5`, `0x10`, `1.5`, `true`, `null`. Nothing if it is no value of the type.
std::optional<uint64_t> parse_literal(std::string_view text, Type type);
std::string print_literal(Type type, uint64_t bits);

// The register or block of this name or number, without its sigil, as the text would read it.
Reg find_reg(const Function& function, std::string_view name);
BlockId find_block(const Function& function, std::string_view name);

}  // namespace psi
