// Steps that remove or simplify functions and globals.
#include <span>
#include <vector>

#include "testing/reducer/reducer.h"

namespace psi::testing {
namespace {

// Zeros next to each other in one piece. The program stays the same.
void merge_zeros(Module& module) {
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Global) continue;
    std::vector<Initialiser> merged;
    for (Initialiser& piece : module.global(symbol).contents) {
      bool zeros = piece.kind == Initialiser::Kind::Zero;
      if (zeros && !merged.empty() && merged.back().kind == Initialiser::Kind::Zero) {
        merged.back().bits += piece.bits;
      } else {
        merged.push_back(std::move(piece));
      }
    }
    module.global(symbol).contents = std::move(merged);
  }
}

}  // namespace

bool Reducer::remove_functions() {
  std::vector<SymbolId> symbols;
  for (SymbolId symbol : current_.declarations()) {
    if (current_.kind(symbol) == SymbolKind::Function) symbols.push_back(symbol);
  }
  return chunks("removing functions", symbols, remove_symbols);
}

bool Reducer::remove_globals() {
  std::vector<SymbolId> symbols;
  for (SymbolId symbol : current_.declarations()) {
    if (current_.kind(symbol) == SymbolKind::Global) symbols.push_back(symbol);
  }
  return chunks("removing globals", symbols, remove_symbols);
}

bool Reducer::simplify_globals() {
  bool progress = false;
  struct Piece {
    SymbolId global;
    size_t index;
  };
  std::vector<Piece> pieces, set, aligned;
  for (SymbolId symbol : current_.declarations()) {
    if (current_.kind(symbol) != SymbolKind::Global) continue;
    const Global& global = current_.global(symbol);
    if (global.align > 1) aligned.push_back({symbol, 0});
    for (size_t i = 0; i < global.contents.size(); ++i) pieces.push_back({symbol, i});
  }
  // Pieces from the end of a global first, so that the indices of the others stay.
  auto shrink = [](Module& module, std::span<const Piece> chosen) {
    for (size_t i = chosen.size(); i > 0; --i) {
      Global& global = module.global(chosen[i - 1].global);
      if (chosen[i - 1].index >= global.contents.size()) continue;
      global.size -= global.contents[chosen[i - 1].index].size(module.pointer_bits());
      global.contents.erase(global.contents.begin() + static_cast<ptrdiff_t>(chosen[i - 1].index));
    }
  };
  progress = chunks("shrinking globals", pieces, shrink) || progress;
  for (SymbolId symbol : current_.declarations()) {
    if (current_.kind(symbol) != SymbolKind::Global) continue;
    const Global& global = current_.global(symbol);
    for (size_t i = 0; i < global.contents.size(); ++i) {
      if (global.contents[i].kind != Initialiser::Kind::Zero) set.push_back({symbol, i});
    }
  }
  progress = chunks("clearing globals", set,
                    [](Module& module, std::span<const Piece> chosen) {
                      for (const Piece& piece : chosen) {
                        Initialiser& old = module.global(piece.global).contents[piece.index];
                        Initialiser cleared;
                        cleared.bits = old.size(module.pointer_bits());
                        old = cleared;
                      }
                    }) ||
             progress;
  merge_zeros(current_);
  progress = chunks("dropping alignments", aligned,
                    [](Module& module, std::span<const Piece> chosen) {
                      for (const Piece& piece : chosen) module.global(piece.global).align = 1;
                    }) ||
             progress;
  return progress;
}

bool Reducer::stub_bodies() {
  std::vector<Item> bodies = collect([](const Function& function, std::vector<Item>& items) {
    if (function.layout().size() > 1 || function.insts(function.entry()).size() > 1)
      items.push_back({function.symbol});
  });
  return function_chunks("emptying functions", std::move(bodies),
                         [](Function& function, std::span<const Item>) { stub_body(function); });
}

bool Reducer::simplify_signatures() {
  std::vector<Item> params, results;
  for (SymbolId symbol : current_.declarations()) {
    if (current_.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = current_.function(symbol);
    if (function.is_declaration()) continue;
    for (uint32_t i = 0; i < function.params.size(); ++i) params.push_back({symbol, 0, i});
    if (function.signature.result != Type::none) results.push_back({symbol});
  }
  bool progress = chunks("removing parameters", params, remove_params);
  return chunks("removing results", results,
                [](Module& module, std::span<const Item> chosen) {
                  for (const Item& item : chosen) remove_result(module, item.function);
                }) ||
         progress;
}

}  // namespace psi::testing
