// Facts about predicates inside one block of a function in plain form.
//
//     p = cmp.lt a, b         p: 1
//     q = and p, c            q: 2, which lies within 1 and within c
//     n = not p               n: not 1
//     p = cmp.gt a, b         p: 3 from here on
//
// A register may be written many times, so facts are about its *versions*, the values from one definition to
// the next. A literal is a version or its complement. Nothing is known at the start of a block.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "psi/ir/function.h"

namespace psi::predication {

class Literal {
 public:
  constexpr Literal() = default;
  constexpr Literal(uint32_t version, bool negated) : bits_(version << 1 | (negated ? 1 : 0)) {}
  static constexpr Literal always() { return {}; }
  static constexpr Literal never() { return !always(); }

  constexpr uint32_t version() const { return bits_ >> 1; }
  constexpr bool is_negated() const { return bits_ & 1; }
  constexpr uint32_t index() const { return bits_; }
  constexpr Literal operator!() const { return {version(), !is_negated()}; }
  constexpr bool operator==(const Literal&) const = default;

 private:
  uint32_t bits_ = 0;  // version 0 is true
};

// Follows the instructions of a block in order.
class Literals {
 public:
  explicit Literals(const Function& function) : function_(function), current_(function.num_regs()) {}

  void begin_block();
  // The literal of a predicate before the next instruction: a register in either polarity, a literal or
  // undef.
  Literal of(Operand predicate);
  Literal of(Guard guard) { return of(guard.as_operand()); }
  // Advances past the next instruction. Constant time.
  void pass(InstId id);

  // Is `inner` known to be true only where `outer` is not false? Searches a limited number of steps.
  bool contains(Literal outer, Literal inner) const;
  // The two literals whose conjunction this one is.
  std::optional<std::pair<Literal, Literal>> conjunction(Literal literal) const {
    const Facts& facts = facts_[literal.index()];
    if (!facts.is_conjunction) return std::nullopt;
    return std::pair(facts.within[0], facts.within[1]);
  }

 private:
  // Literals that contain this one; always() if unknown. The first two are its operands, the others its
  // latest users.
  struct Facts {
    std::array<Literal, 4> within;
    bool is_conjunction = false;
    uint8_t next = 0;
  };
  struct Current {
    uint32_t block = 0;  // counted from 1 in the order of begin_block
    Literal literal;
  };

  Literal fresh();
  Literal both(Literal a, Literal b);
  Literal either(Literal a, Literal b) { return !both(!a, !b); }
  void note_within(Literal inner, Literal outer, size_t place);
  // The version of a register after an instruction that writes `value` where `guard` is true.
  Literal merged(Literal guard, Literal value, Literal old);
  std::array<Literal, 2> values(const Inst& inst, std::span<const Operand> operands);
  std::array<Literal, 2> cmpp_values(const Inst& inst, Operand input);

  const Function& function_;
  std::vector<Current> current_;  // by Reg
  uint32_t block_ = 0;
  std::vector<Facts> facts_;  // by literal
};

}  // namespace psi::predication
