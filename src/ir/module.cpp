#include "psi/ir/module.h"

#include <fmt/format.h>

#include <algorithm>

namespace psi {

uint64_t Initialiser::size(unsigned pointer_bits) const {
  switch (kind) {
    case Kind::Value:
      return byte_size(as_bits(type, pointer_bits));
    case Kind::Address:
      return byte_size(psi::address_type(pointer_bits));
    case Kind::Zero:
      return bits;
    case Kind::Bytes:
      return bytes.size();
  }
  return 0;
}

void Module::set_pointer_bits(unsigned bits) {
  if (bits != 32 && bits != 64) {
    misuses_.error({}, fmt::format("pointers have 32 or 64 bits, not {}", bits), "the module");
    return;
  }
  if (!declarations_.empty()) {
    misuses_.error({}, "the width of pointers is set after a declaration", "the module");
    return;
  }
  pointer_bits_ = static_cast<uint8_t>(bits);
}

SymbolId Module::intern_symbol(std::string_view name) {
  auto [at, added] = by_name_.try_emplace(std::string(name), SymbolId(num_symbols()));
  if (added) symbols_.push_back({std::string(name), SymbolKind::Undeclared, 0});
  return at->second;
}

std::optional<SymbolId> Module::find_symbol(std::string_view name) const {
  auto at = by_name_.find(std::string(name));
  if (at == by_name_.end()) return std::nullopt;
  return at->second;
}

// Is the symbol free to stand for this?
bool Module::declare(SymbolId symbol, SymbolKind kind, size_t index) {
  std::string_view what = kind == SymbolKind::Function ? "function" : "global";
  if (symbol.index() >= num_symbols()) {
    misuses_.error({}, fmt::format("a {} is added under a symbol that is not the module's", what),
                   "the module");
    return false;
  }
  if (this->kind(symbol) != SymbolKind::Undeclared) {
    std::string_view before = this->kind(symbol) == SymbolKind::Function ? "function" : "global";
    misuses_.error({},
                   fmt::format("{} ${} is added, but there is a {} of that name", what, name(symbol), before),
                   "the module");
    return false;
  }
  symbols_[symbol.index()].kind = kind;
  symbols_[symbol.index()].index = static_cast<uint32_t>(index);
  declarations_.push_back(symbol);
  return true;
}

Function& Module::add_function(SymbolId symbol) {
  bool is_declared = declare(symbol, SymbolKind::Function, functions_.size());
  Function& function = functions_.emplace_back();
  if (is_declared) function.symbol = symbol;
  function.pointer_bits = pointer_bits_;
  return function;
}

Global& Module::add_global(SymbolId symbol) {
  bool is_declared = declare(symbol, SymbolKind::Global, globals_.size());
  Global& global = globals_.emplace_back();
  if (is_declared) global.symbol = symbol;
  return global;
}

Function& Module::add_function(std::string_view name, Type result,
                               std::initializer_list<Parameter> parameters, Form form) {
  Function& function = add_function(intern_symbol(name));
  function.form = form;
  function.signature.result = result;
  for (const Parameter& parameter : parameters) {
    function.signature.params.push_back(parameter.type);
    function.params.push_back(function.add_reg(parameter.type, parameter.name));
  }
  return function;
}

Function* Module::find_function(std::string_view name) {
  std::optional<SymbolId> symbol = find_symbol(name);
  return symbol && kind(*symbol) == SymbolKind::Function ? &function(*symbol) : nullptr;
}

const Function* Module::find_function(std::string_view name) const {
  return const_cast<Module*>(this)->find_function(name);
}

void Module::remove(SymbolId symbol) {
  if (kind(symbol) == SymbolKind::Function) function(symbol) = Function();
  if (kind(symbol) == SymbolKind::Global) global(symbol) = Global();
  symbols_[symbol.index()].kind = SymbolKind::Undeclared;
  std::erase(declarations_, symbol);
}

size_t Module::memory() const {
  size_t total =
      sizeof(*this) + symbols_.capacity() * sizeof(Symbol) + declarations_.capacity() * sizeof(SymbolId);
  for (const Symbol& symbol : symbols_) total += 2 * symbol.name.size() + 64;  // and its entry in by_name_
  for (const Function& function : functions_) total += function.memory();
  for (const Global& global : globals_) {
    total += sizeof(Global) + global.contents.capacity() * sizeof(Initialiser);
    for (const Initialiser& piece : global.contents) total += piece.bytes.capacity();
  }
  return total;
}

}  // namespace psi
