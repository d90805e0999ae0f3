// The registers that the next instructions may read and write. Everything in a scope is defined on all paths
// to the current place; leaving a scope forgets what was added in it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "psi/ir/function.h"

namespace psi::testing {

// A predicate register that has its final value from the place of its definition to the end of its scope,
// or its complement. Only these can tell where other registers are defined.
class Literal {
 public:
  constexpr Literal() = default;
  constexpr Literal(uint32_t index, bool negated) : code_(index << 1 | (negated ? 1 : 0)) {}
  constexpr bool is_none() const { return code_ == kNone; }
  constexpr uint32_t index() const { return code_ >> 1; }
  constexpr bool is_negated() const { return code_ & 1; }
  constexpr Literal operator!() const { return is_none() ? *this : Literal(index(), !is_negated()); }
  constexpr bool operator==(const Literal&) const = default;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t code_ = kNone;
};

struct StablePredicate {
  Reg reg;
  // Literals implied by its truth, and by its falsehood.
  std::array<Literal, 2> when_true;
  std::array<Literal, 2> when_false;
};

// A register that is defined where a literal is true, and must not be read elsewhere.
struct GuardedValue {
  Reg reg;
  Type type;
  Literal domain;
};

// An address of memory that may be accessed. All of it is initialised.
struct Pointer {
  Operand address = {};
  uint32_t size = 0;   // accessible bytes from there on, at least 16
  uint32_t align = 8;  // known alignment of the offset within the object
  bool writable = true;
  bool outlives = false;  // the object lives longer than the function: its address may be kept
  int32_t object = -1;    // two pointers with different numbers (not -1) do not overlap
  Literal domain = {};    // none: always defined
};

struct Scope {
  struct Mark {
    std::array<uint32_t, kNumTypes> readable, writable;
    uint32_t stable, guarded, pointers, facts;
  };

  // By type. All that are writable are readable.
  std::array<std::vector<Reg>, kNumTypes> readable, writable;
  std::vector<StablePredicate> stable;
  std::vector<GuardedValue> guarded;
  std::vector<Pointer> pointers;
  std::vector<Literal> facts;  // literals that branches have proved true

  std::vector<Reg>& readable_of(Type type) { return readable[static_cast<size_t>(type)]; }
  std::vector<Reg>& writable_of(Type type) { return writable[static_cast<size_t>(type)]; }

  Mark mark() const;
  void leave(const Mark& mark);

  // Do `known` and all facts imply `goal`? Searches few steps only, so may miss it.
  bool holds(Literal goal, Literal known) const;

 private:
  bool implies(Literal from, Literal goal, int depth) const;
};

}  // namespace psi::testing
