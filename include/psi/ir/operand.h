// An operand in four bytes. Literals carry their type, so every operand has a type (the function knows those
// of registers).
#pragma once

#include <cstdint>

#include "psi/ir/type.h"
#include "psi/support/id.h"

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
  constexpr Operand(Reg r) : Operand(Kind::Reg, r.index()) {}
  constexpr Operand(BlockId b) : Operand(Kind::Block, b.index()) {}
  constexpr Operand(SymbolId s) : Operand(Kind::Symbol, s.index()) {}
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
  // The absent guard of a psi argument, or the absent input of a cmpp.
  static constexpr Operand always() { return small(Type::i1, -1); }
  // The literal false; always() is true.
  static constexpr Operand never() { return small(Type::i1, 0); }
  static constexpr Operand truth(bool value) { return value ? always() : never(); }
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

  // The raw 32 bits, for hashing and for storing other data in place of an operand.
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
  constexpr Guard(Reg reg) : Guard(reg, false) {}
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

// What is true where the predicate is false: of a register the other polarity, of a literal the other one,
// of undef undef.
constexpr Operand complement(Operand predicate) {
  if (predicate.reads_reg()) return Operand::predicate(predicate.reg(), !predicate.is_negated());
  if (predicate.is_undef()) return predicate;
  return predicate == Operand::never() ? Operand::always() : Operand::never();
}
// The same register in the other polarity. No guard says "never", so one that always holds stays as it is.
constexpr Guard complement(Guard guard) { return guard ? Guard(guard.reg(), !guard.is_negated()) : guard; }
// Under `p`, and where it is false.
constexpr Guard when(Reg p) { return Guard(p, false); }
constexpr Guard unless(Reg p) { return Guard(p, true); }

}  // namespace psi
