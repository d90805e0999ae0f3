// An operand in four bytes. Literals know their type, so an operand always does (with its function's
// help where it is a register).
#pragma once

#include <cstdint>

#include "psi/id.h"
#include "psi/type.h"

namespace psi {

class Operand {
 public:
  enum class Kind : uint8_t {
    None,
    Reg,     // a register
    NotReg,  // a predicate's complement: only as a psi guard or a cmpp input
    Small,   // a literal that fits 26 signed bits
    Pooled,  // any other literal: an index into the function's constant pool
    Undef,
    Block,
    Symbol,  // the address of a global or a function
  };

  // Ids and pool indices must be below this.
  static constexpr uint32_t kMaxIndex = (1u << 29) - 1;
  static constexpr uint32_t kMaxPooled = (1u << 26) - 1;

  constexpr Operand() = default;
  static constexpr Operand reg(Reg r) { return {Kind::Reg, r.index()}; }
  static constexpr Operand not_reg(Reg r) { return {Kind::NotReg, r.index()}; }
  static constexpr Operand predicate(Reg r, bool negated) { return negated ? not_reg(r) : reg(r); }
  static constexpr Operand block(BlockId b) { return {Kind::Block, b.index()}; }
  static constexpr Operand symbol(SymbolId s) { return {Kind::Symbol, s.index()}; }
  static constexpr Operand undef(Type type) { return {Kind::Undef, static_cast<uint32_t>(type)}; }
  static constexpr Operand small(Type type, int32_t value) {
    return {Kind::Small, static_cast<uint32_t>(value) << 3 | static_cast<uint32_t>(type)};
  }
  static constexpr Operand pooled(Type type, uint32_t index) {
    return {Kind::Pooled, index << 3 | static_cast<uint32_t>(type)};
  }
  // The missing guard of a psi argument, or the missing input of a cmpp.
  static constexpr Operand always() { return small(Type::i1, -1); }
  static constexpr bool fits_small(int64_t value) { return value >= -(1 << 25) && value < (1 << 25); }

  constexpr Kind kind() const { return static_cast<Kind>(bits_ & 7); }
  constexpr bool is_none() const { return kind() == Kind::None; }
  constexpr bool is_reg() const { return kind() == Kind::Reg; }
  // A register read in either polarity.
  constexpr bool reads_reg() const { return kind() == Kind::Reg || kind() == Kind::NotReg; }
  constexpr bool is_negated() const { return kind() == Kind::NotReg; }
  constexpr bool is_literal() const { return kind() == Kind::Small || kind() == Kind::Pooled; }
  constexpr bool is_undef() const { return kind() == Kind::Undef; }
  constexpr bool is_block() const { return kind() == Kind::Block; }
  constexpr bool is_symbol() const { return kind() == Kind::Symbol; }

  constexpr Reg reg() const { return Reg(bits_ >> 3); }
  constexpr BlockId block() const { return BlockId(bits_ >> 3); }
  constexpr SymbolId symbol() const { return SymbolId(bits_ >> 3); }
  // Of a literal or undef.
  constexpr Type literal_type() const { return static_cast<Type>(bits_ >> 3 & 7); }
  constexpr int32_t small_value() const { return static_cast<int32_t>(bits_) >> 6; }
  constexpr uint32_t pool_index() const { return bits_ >> 6; }

  // The 32 bits as they are, for hashing and for storing something else in an operand's place.
  constexpr uint32_t raw() const { return bits_; }
  static constexpr Operand from_raw(uint32_t bits) {
    Operand operand;
    operand.bits_ = bits;
    return operand;
  }

  constexpr bool operator==(const Operand&) const = default;

 private:
  constexpr Operand(Kind kind, uint32_t payload) : bits_(payload << 3 | static_cast<uint32_t>(kind)) {}
  uint32_t bits_ = 0;
};

// The condition under which an instruction executes: a predicate register and a polarity, or always.
class Guard {
 public:
  constexpr Guard() = default;
  constexpr Guard(Reg reg, bool negated) : operand_(Operand::predicate(reg, negated)) {}
  constexpr explicit Guard(Operand predicate) : operand_(predicate.reads_reg() ? predicate : Operand()) {}

  constexpr bool is_always() const { return operand_.is_none(); }
  constexpr explicit operator bool() const { return !is_always(); }
  constexpr Reg reg() const { return operand_.reg(); }
  constexpr bool is_negated() const { return operand_.is_negated(); }
  constexpr Operand as_operand() const { return is_always() ? Operand::always() : operand_; }
  constexpr bool operator==(const Guard&) const = default;

 private:
  Operand operand_;
};

}  // namespace psi
