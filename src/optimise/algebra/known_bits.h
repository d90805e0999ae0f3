// Which bits of integer registers are known, from how they are computed.
//
//     %a = zext.i8.i32 %x     0000 0000 0000 0000 0000 0000 ???? ????
//     %b = shl.i32 %a, 4      0000 0000 0000 0000 0000 ???? ???? 0000
//
// Nothing is claimed of undef registers. One step each: operands are looked up.
#pragma once

#include <cstdint>
#include <vector>

#include "psi/ir/function.h"

namespace psi::optimise {

// Bits above a type's width are known to be zero.
struct Bits {
  uint64_t zeros = 0;
  uint64_t ones = 0;

  static constexpr Bits unknown(Type type) { return {~value_mask(type), 0}; }
  static constexpr Bits exactly(uint64_t bits) { return {~bits, bits}; }
  // Unsigned limits.
  constexpr uint64_t least() const { return ones; }
  constexpr uint64_t greatest() const { return ~zeros; }
};

class KnownBits {
 public:
  explicit KnownBits(const Function& function) : function_(function) {}

  Bits operator()(Operand operand) const;
  // Recomputes the instruction's result.
  void update(InstId id);

 private:
  Bits of(const Inst& inst, std::span<const Operand> operands) const;
  Bits of_shift(const Inst& inst, std::span<const Operand> operands) const;
  Bits of_convert(const Inst& inst, Operand operand) const;
  Bits of_sum(const Inst& inst, std::span<const Operand> operands) const;

  const Function& function_;
  std::vector<Bits> bits_;  // by Reg; shorter where nothing is known of the rest
};

}  // namespace psi::optimise
