// The lattice of constant propagation, and the evaluation of instructions on it.
//
//          undef            nothing seen so far; in the end, always undef
//      ... -1  0  1  $g+8   the same wherever it is defined
//         varying           not known
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "psi/ir/module.h"
#include "psi/ir/value.h"

namespace psi::optimise {

struct Constant {
  enum class Kind : uint8_t { Undef, Known, Varying };
  Kind kind = Kind::Undef;
  SymbolId symbol;    // an address: of this, plus the bits
  uint64_t bits = 0;  // zero above the type's width

  static Constant known(uint64_t bits) { return {Kind::Known, SymbolId(), bits}; }
  static Constant address(SymbolId symbol, uint64_t offset) { return {Kind::Known, symbol, offset}; }
  static Constant varying() { return {Kind::Varying, SymbolId(), 0}; }
  static Constant of(Value value) { return value.undef ? Constant() : known(value.bits); }

  bool is_undef() const { return kind == Kind::Undef; }
  bool is_known() const { return kind == Kind::Known; }
  bool is_varying() const { return kind == Kind::Varying; }
  // A number, not an address.
  bool is_number() const { return is_known() && !symbol; }
  bool is_number(uint64_t value) const { return is_number() && bits == value; }
  bool operator==(const Constant&) const = default;
};

// The meet. Undef may become the other value.
Constant meet(Constant a, Constant b);

// Initial contents of constant globals, found by offset.
class ConstantMemory {
 public:
  explicit ConstantMemory(const Module& module) : module_(module) {}

  // Varying where the bytes are not known. Logarithmic in the number of pieces once a global is known.
  Constant load(Type type, SymbolId symbol, uint64_t offset);

 private:
  const std::vector<uint64_t>& starts(const Global& global);

  const Module& module_;
  std::unordered_map<SymbolId, std::vector<uint64_t>> starts_;  // of each piece; only ever looked up
};

class ConstantEvaluation {
 public:
  explicit ConstantEvaluation(const Module& module) : memory_(module), pointer_bits_(module.pointer_bits()) {}

  // The first result of an instruction that executes, from its operands in order. Not for phi and cmpp.
  Constant evaluate(const Inst& inst, std::span<const Constant> operands);
  // A target of a cmpp, from all its operands.
  Constant evaluate_target(const Inst& cmpp, int target, std::span<const Constant> operands) const;

 private:
  static Constant psi(std::span<const Constant> pairs);
  Constant compare(const Inst& inst, Constant a, Constant b) const;
  Constant compute(const Inst& inst, std::span<const Constant> operands) const;

  ConstantMemory memory_;
  unsigned pointer_bits_;
};

}  // namespace psi::optimise
