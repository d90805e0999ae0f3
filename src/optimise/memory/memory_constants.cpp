#include "optimise/memory/memory_constants.h"

namespace psi::optimise {
namespace {

// A byte of a piece; the piece must not be an address.
uint64_t byte_at(const Initialiser& piece, uint64_t offset) {
  switch (piece.kind) {
    case Initialiser::Kind::Value:
      return piece.bits >> (8 * offset) & 0xff;
    case Initialiser::Kind::Bytes:
      return static_cast<unsigned char>(piece.bytes[offset]);
    default:
      return 0;
  }
}

}  // namespace

Operand constant_at(const Module& module, Function& function, const Address& address, Type type) {
  if (!address.base.is_symbol() || !address.index.is_none() || address.offset < 0) return {};
  if (module.kind(address.base.symbol()) != SymbolKind::Global) return {};
  const Global& global = module.global(address.base.symbol());
  uint64_t offset = static_cast<uint64_t>(address.offset), size = function.byte_size(type);
  // The most pieces of a table that are searched, from the start.
  constexpr size_t kMaxPieces = 256;
  if (!global.constant || global.external || global.contents.size() > kMaxPieces) return {};
  uint64_t start = 0, bits = 0, found = 0;
  for (const Initialiser& piece : global.contents) {
    uint64_t end = start + piece.size(module.pointer_bits());
    for (uint64_t at = offset + found; found < size && at >= start && at < end; ++at, ++found) {
      if (piece.kind == Initialiser::Kind::Address) {
        bool is_whole = type == Type::ptr && offset == start && piece.addend == 0;
        return is_whole ? Operand::symbol(piece.symbol) : Operand();
      }
      bits |= byte_at(piece, at - start) << (8 * found);
    }
    if (found == size) break;
    start = end;
  }
  if (found < size || (bits & ~function.value_mask(type)) != 0) return {};
  return function.literal(type, bits);
}

}  // namespace psi::optimise
