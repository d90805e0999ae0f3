// What the commands that execute a function share: which one, its arguments, how it ended.
#include <fmt/format.h>

#include "psic/tool.h"

namespace psic {
namespace {

const psi::Function* find_body(const Loaded& loaded, std::string_view name) {
  const psi::Function* function = find_function(loaded, name);
  if (function && function->is_declaration()) {
    error(fmt::format("${} is only declared in {}", loaded.module.name(function->symbol), loaded.path));
    return nullptr;
  }
  return function;
}

// Reads an argument as the text of a module would be read.
std::optional<psi::Value> read_argument(const std::string& text, psi::Type type) {
  std::optional<uint64_t> bits = psi::parse_literal(text, type);
  if (!bits) {
    error(fmt::format("'{}' is not a value of type {}", text, psi::type_name(type)));
    return std::nullopt;
  }
  return psi::Value{*bits, false};
}

int report_failure(const Loaded& loaded, const psi::Outcome& outcome) {
  psi::Diagnostics diagnostics;
  psi::Location where = loaded.map.find(outcome.function, outcome.inst);
  where.length = 1;
  diagnostics.error(where, outcome.message);
  say("{}", psi::render(diagnostics, loaded.path, loaded.text, colour_wanted(2)));
  return kBadInput;
}

}  // namespace

const psi::Function* choose_body(const Loaded& loaded, std::string_view name) {
  const psi::Module& module = loaded.module;
  if (!name.empty()) return find_body(loaded, name);
  const psi::Function* only = nullptr;
  size_t bodies = 0;
  for (psi::SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != psi::SymbolKind::Function || module.function(symbol).is_declaration())
      continue;
    if (module.name(symbol) == "main") return &module.function(symbol);
    only = &module.function(symbol);
    ++bodies;
  }
  if (bodies == 1) return only;
  error(bodies == 0
            ? fmt::format("{} has no function to run", loaded.path)
            : fmt::format("{} has {} functions and no $main: choose one with --func", loaded.path, bodies));
  return nullptr;
}

std::optional<std::vector<psi::Value>> read_arguments(const Loaded& loaded, const psi::Function& function,
                                                      std::vector<std::string> texts) {
  const std::vector<psi::Type>& params = function.signature.params;
  // C's main, without arguments.
  if (texts.empty() && loaded.module.name(function.symbol) == "main" &&
      params == std::vector{psi::Type::i32, psi::Type::ptr}) {
    texts = {"0", "null"};
  }
  if (texts.size() != params.size()) {
    error(fmt::format("${} takes {} argument{}, not {}", loaded.module.name(function.symbol), params.size(),
                      params.size() == 1 ? "" : "s", texts.size()));
    return std::nullopt;
  }
  std::vector<psi::Value> arguments;
  for (size_t i = 0; i < params.size(); ++i) {
    std::optional<psi::Value> value = read_argument(texts[i], params[i]);
    if (!value) return std::nullopt;
    arguments.push_back(*value);
  }
  return arguments;
}

int report_outcome(const Loaded& loaded, const psi::Outcome& outcome) {
  switch (outcome.status) {
    case psi::Outcome::Status::Returned:
      if (outcome.result_type != psi::Type::none) {
        put("{}\n", psi::print_literal(outcome.result_type, outcome.result.bits));
      }
      return kFine;
    case psi::Outcome::Status::Exited:
      say("psic: the program exited with status {}\n", outcome.exit_code);
      return kFine;
    default:
      return report_failure(loaded, outcome);
  }
}

}  // namespace psic
