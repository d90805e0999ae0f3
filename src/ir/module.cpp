#include "psi/module.h"

#include <algorithm>
#include <cassert>

namespace psi {

uint64_t Initialiser::size() const {
  switch (kind) {
    case Kind::Value:
      return byte_size(type);
    case Kind::Address:
      return byte_size(Type::ptr);
    case Kind::Zero:
      return bits;
    case Kind::Bytes:
      return bytes.size();
  }
  return 0;
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

void Module::declare(SymbolId symbol, SymbolKind kind, size_t index) {
  assert(this->kind(symbol) == SymbolKind::Undeclared);
  symbols_[symbol.index()].kind = kind;
  symbols_[symbol.index()].index = static_cast<uint32_t>(index);
  declarations_.push_back(symbol);
}

Function& Module::add_function(SymbolId symbol) {
  declare(symbol, SymbolKind::Function, functions_.size());
  functions_.emplace_back().symbol = symbol;
  return functions_.back();
}

Global& Module::add_global(SymbolId symbol) {
  declare(symbol, SymbolKind::Global, globals_.size());
  globals_.emplace_back().symbol = symbol;
  return globals_.back();
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
