// Rules about globals and their initialisers.

#include <fmt/format.h>

#include <bit>

#include "verify/checks.h"

namespace psi::verify {
namespace {

class GlobalCheck {
 public:
  GlobalCheck(const Module& module, const Global& global, Diagnostics& diagnostics,
              const VerifyOptions& options)
      : module_(module), global_(global), diagnostics_(diagnostics), options_(options) {}

  void run() {
    if (!std::has_single_bit(global_.align) || global_.align > uint64_t{1} << kMaxAlignLog2) {
      error(Rule::GlobalAlign, fmt::format("alignment {} of {} is not a power of two of at most 2^{}",
                                           global_.align, name(), kMaxAlignLog2));
    }
    if (global_.external) {
      if (!global_.contents.empty()) {
        error(Rule::GlobalExtern, fmt::format("external global {} has contents", name()));
      }
      return;
    }
    bool sized = true;
    uint64_t size = 0;
    for (size_t i = 0; i < global_.contents.size() && !diagnostics_.is_full(); ++i) {
      const Initialiser& piece = global_.contents[i];
      if (!check_piece(piece, i + 1)) {
        sized = false;
      } else if (piece.size(module_.pointer_bits()) > UINT64_MAX - size) {
        error(Rule::GlobalSize, fmt::format("the contents of {} are larger than the address space", name()));
        return;
      } else {
        size += piece.size(module_.pointer_bits());
      }
    }
    if (sized && size != global_.size) {
      error(Rule::GlobalSize,
            fmt::format("{} has a size of {} bytes but contents of {}", name(), global_.size, size));
    }
  }

 private:
  bool check_piece(const Initialiser& piece, size_t number) {
    switch (piece.kind) {
      case Initialiser::Kind::Value:
        if (piece.type >= Type::none) {
          error(Rule::InitialiserValue, fmt::format("piece {} of {} is a value of no type", number, name()));
          return false;
        }
        if (piece.bits & ~value_mask(as_bits(piece.type, module_.pointer_bits()))) {
          error(Rule::InitialiserValue, fmt::format("piece {} of {}: {:#x} does not fit {}", number, name(),
                                                    piece.bits, type_name(piece.type)));
        }
        return true;
      case Initialiser::Kind::Address:
        if (piece.symbol.index() >= module_.num_symbols() ||
            module_.kind(piece.symbol) == SymbolKind::Undeclared) {
          error(Rule::InitialiserSymbol,
                fmt::format("piece {} of {} is the address of {}, which is not declared", number, name(),
                            symbol_name(module_, piece.symbol)));
        }
        return true;
      case Initialiser::Kind::Zero:
      case Initialiser::Kind::Bytes:
        return true;
    }
    error(Rule::InitialiserValue, fmt::format("piece {} of {} is of no known kind", number, name()));
    return false;
  }

  std::string name() const { return symbol_name(module_, global_.symbol); }

  void error(Rule rule, std::string message) {
    Location where = options_.map ? options_.map->find(global_.symbol) : Location();
    diagnostics_.error(where, fmt::format("{} [{}]", message, rule_name(rule)),
                       where.line ? std::string() : "global " + name());
  }

  const Module& module_;
  const Global& global_;
  Diagnostics& diagnostics_;
  const VerifyOptions& options_;
};

}  // namespace

void check_global(const Module& module, const Global& global, Diagnostics& diagnostics,
                  const VerifyOptions& options) {
  GlobalCheck(module, global, diagnostics, options).run();
}

}  // namespace psi::verify
