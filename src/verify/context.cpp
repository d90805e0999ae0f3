#include "verify/context.h"

#include <fmt/format.h>

namespace psi::verify {

Context::Context(const Module& m, const Function& f, Diagnostics& diagnostics, const VerifyOptions& options)
    : module(m),
      function(f),
      oracle(options.oracle ? *options.oracle : own_oracle_),
      diagnostics_(diagnostics),
      options_(options) {}

void Context::report(Rule rule, Location where, std::string message, std::string context) {
  ++errors_;
  message += fmt::format(" [{}]", rule_name(rule));
  if (where.line != 0) context.clear();
  diagnostics_.error(where, std::move(message), std::move(context));
}

Location Context::find(InstId inst) const {
  return options_.map ? options_.map->find(function.symbol, inst) : Location();
}

std::string Context::function_name() const { return "function " + symbol_name(module, function.symbol); }

void Context::error(Rule rule, std::string message) {
  Location where = options_.map ? options_.map->find(function.symbol) : Location();
  report(rule, where, std::move(message), function_name());
}

void Context::misuse(const Diagnostic& misuse) {
  report(Rule::Misuse, {}, misuse.message, fmt::format("{}, {}", function_name(), misuse.context));
}

void Context::error(Rule rule, BlockId block, std::string message) {
  Location where = options_.map ? options_.map->find(function.symbol, block) : Location();
  report(rule, where, std::move(message), fmt::format("{}, block {}", function_name(), name(block)));
}

void Context::error(Rule rule, BlockId block, InstId inst, std::string message) {
  Location where = find(inst);
  std::string context;
  if (where.line == 0) {
    context = fmt::format("{}, block {}: {}", function_name(), name(block), print(module, function, inst));
  }
  report(rule, where, std::move(message), std::move(context));
}

void Context::record_error(Rule rule, BlockId block, InstId inst, std::string message) {
  report(rule, find(inst), std::move(message),
         fmt::format("{}, block {}, instruction number {}", function_name(), name(block), inst.index()));
}

void Context::note(InstId inst, std::string message) { diagnostics_.note(find(inst), std::move(message)); }

std::string Context::name(Reg r) const { return name(Operand::reg(r)); }
std::string Context::name(BlockId b) const { return name(Operand::block(b)); }
std::string Context::name(Operand operand) const { return print(module, function, operand); }

std::string Context::name(Guard guard) const { return guard.is_always() ? "true" : name(guard.as_operand()); }

std::string symbol_name(const Module& module, SymbolId symbol) {
  if (symbol.index() >= module.num_symbols()) return fmt::format("symbol number {}", symbol.index());
  return print(module, Function(), Operand::symbol(symbol));
}

}  // namespace psi::verify
