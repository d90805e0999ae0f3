// A module: functions and globals under one namespace of symbols.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "psi/ir/function.h"
#include "psi/support/id.h"

namespace psi {

// A piece of a global's initial contents; the pieces follow each other without padding.
struct Initialiser {
  enum class Kind : uint8_t { Value, Address, Zero, Bytes };
  Kind kind = Kind::Zero;
  Type type = Type::none;  // Value
  uint64_t bits = 0;       // Value: the value; Zero: how many bytes
  SymbolId symbol;         // Address: this symbol's address ...
  int64_t addend = 0;      // ... plus this
  std::string bytes;       // Bytes

  // In a module with pointers of this width.
  uint64_t size(unsigned pointer_bits) const;
  bool operator==(const Initialiser&) const = default;
};

struct Global {
  SymbolId symbol;
  bool constant = false;  // never written
  bool external = false;  // defined elsewhere; `size` bytes of it may be accessed
  uint64_t align = 1;
  uint64_t size = 0;
  std::vector<Initialiser> contents;
};

// Of a function that is added.
struct Parameter {
  Type type = Type::none;
  std::string_view name = {};
};

enum class SymbolKind : uint8_t { Undeclared, Function, Global };

class Module {
 public:
  // --- Pointers -------------------------------------------------------------------------------------
  // The width of every pointer: 64 bits, or 32. Set it before anything is declared.
  unsigned pointer_bits() const { return pointer_bits_; }
  void set_pointer_bits(unsigned bits);
  // The integer type of a pointer's width: of offsets, indices and sizes.
  Type address_type() const { return psi::address_type(pointer_bits_); }

  // --- Symbols --------------------------------------------------------------------------------------
  // The symbol of this name, made (undeclared) if new.
  SymbolId intern_symbol(std::string_view name);
  std::optional<SymbolId> find_symbol(std::string_view name) const;
  uint32_t num_symbols() const { return static_cast<uint32_t>(symbols_.size()); }
  std::string_view name(SymbolId symbol) const { return symbols_[symbol.index()].name; }
  SymbolKind kind(SymbolId symbol) const { return symbols_[symbol.index()].kind; }
  // Functions and globals in declaration order.
  std::span<const SymbolId> declarations() const { return declarations_; }

  // --- Functions and globals ------------------------------------------------------------------------
  // Declare an undeclared symbol. References stay valid when more are added. A symbol that is declared, or
  // that is not of this module, is a misuse: what is returned then belongs to no symbol, and the
  // existing declaration stays unchanged.
  Function& add_function(SymbolId symbol);
  Global& add_global(SymbolId symbol);
  // A function of this name with a register for each parameter.
  Function& add_function(std::string_view name, Type result, std::initializer_list<Parameter> parameters,
                         Form form = Form::Plain);
  Function& function(SymbolId symbol) { return functions_[symbols_[symbol.index()].index]; }
  const Function& function(SymbolId symbol) const { return functions_[symbols_[symbol.index()].index]; }
  Global& global(SymbolId symbol) { return globals_[symbols_[symbol.index()].index]; }
  const Global& global(SymbolId symbol) const { return globals_[symbols_[symbol.index()].index]; }
  // The function of this name, or null.
  Function* find_function(std::string_view name);
  const Function* find_function(std::string_view name) const;
  // Removes the declaration; the symbol becomes undeclared.
  void remove(SymbolId symbol);

  // Calls that made no sense. The verifier rejects a module that had any.
  const Diagnostics& misuses() const { return misuses_; }

  size_t memory() const;

 private:
  struct Symbol {
    std::string name;
    SymbolKind kind = SymbolKind::Undeclared;
    uint32_t index = 0;
  };
  bool declare(SymbolId symbol, SymbolKind kind, size_t index);

  uint8_t pointer_bits_ = 64;
  std::vector<Symbol> symbols_;
  std::unordered_map<std::string, SymbolId> by_name_;
  std::vector<SymbolId> declarations_;
  std::deque<Function> functions_;
  std::deque<Global> globals_;
  Diagnostics misuses_;
};

}  // namespace psi
