// Meanings of instructions and modes, and the types of what they read and define.
#include <fmt/format.h>

#include <algorithm>

#include "target/complete/reader.h"

namespace psi::target {
namespace {

std::string listed(std::span<const Type> types) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i) {
    text += i == 0 ? "" : i + 1 == types.size() ? " and " : ", ";
    text += type_name(types[i]);
  }
  return text;
}

}  // namespace

Type DescriptionReader::default_type(const OperandKind& kind) const {
  if (kind.kind == OperandKind::Kind::Mode) return Type::ptr;
  if (kind.kind == OperandKind::Kind::Class) return description_->classes[kind.index].types.front();
  if (kind.kind == OperandKind::Kind::Immediate &&
      description_->immediates[kind.index].pieces[0].kind == ImmediatePiece::Kind::Symbol) {
    return Type::ptr;
  }
  return description_->pointer_bits == 32 ? Type::i32 : Type::i64;
}

std::optional<Body> DescriptionReader::read_meaning(std::span<const SourceLine> lines, std::string_view,
                                                    Location where, std::span<const BodyOperand> operands) {
  return read_body(lines, where, operands, description_->pointer_bits, problems_);
}

// Registers hold bits: of any type that is as wide as one that they hold.
void DescriptionReader::check_types(std::string_view owner, std::string_view name, Location where, Type type,
                                    const OperandKind& kind) {
  if (type == Type::none || kind.index == kNone) return;  // told before
  if (kind.kind == OperandKind::Kind::Class) {
    const MachineRegisterClass& held = description_->classes[kind.index];
    if (std::ranges::any_of(held.types, [&](Type one) { return width(one) == width(type); })) return;
    fail(where, fmt::format("%{} of '{}' is {} in its meaning, but '{}' holds {}", name, owner,
                            type_name(type), held.name, listed(held.types)));
  } else if (kind.kind == OperandKind::Kind::Immediate) {
    const Immediate& immediate = description_->immediates[kind.index];
    for (const ImmediatePiece& piece : immediate.pieces) {
      if (piece.kind == ImmediatePiece::Kind::Symbol && type != Type::ptr &&
          width(type) != description_->pointer_bits) {
        return fail(where, fmt::format("%{} of '{}' is {} in its meaning, but '{}' is an address", name,
                                       owner, type_name(type), immediate.name));
      }
      if (piece.kind == ImmediatePiece::Kind::Literal && is_float(type)) {
        return fail(where, fmt::format("%{} of '{}' is {} in its meaning, but '{}' is a whole number", name,
                                       owner, type_name(type), immediate.name));
      }
      if (piece.kind == ImmediatePiece::Kind::Block) {
        return fail(where, fmt::format("%{} of '{}' is a value, but '{}' is a target: write @{}", name, owner,
                                       immediate.name, name));
      }
    }
  } else if (kind.kind == OperandKind::Kind::Mode && type != Type::ptr) {
    fail(where,
         fmt::format("%{} of '{}' is {} in its meaning, but a mode is a ptr", name, owner, type_name(type)));
  }
}

}  // namespace psi::target
