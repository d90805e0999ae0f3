// What the steps of scramble share.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "psi/analyses.h"
#include "psi/counters.h"
#include "psi/defined.h"
#include "psi/function.h"

namespace psi::scrambling {

// The same numbers on every platform, which the distributions of <random> do not give.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}

  uint32_t below(size_t n) { return static_cast<uint32_t>(engine_() % n); }
  bool percent(uint32_t p) { return below(100) < p; }
  template <class T>
  void shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

struct Scene {
  Function& function;
  Analyses& analyses;
  Counters& counters;
  Dice dice;
  Defined defined;  // in the function as it was
  // By Reg, shorter than all: what a phi was made equal to, where that does not show.
  std::vector<Reg> twins;

  // The blocks that are worth a look: those that dominate others come first.
  std::span<const BlockId> blocks() { return analyses.dominators().preorder(); }
};

// An argument of a psi.
struct Argument {
  Operand guard;
  Operand value;
};

inline std::vector<Argument> arguments_of(const Function& function, InstId psi) {
  std::vector<Argument> arguments;
  std::span<const Operand> pairs = function.operands(psi);
  for (size_t i = 0; i < pairs.size(); i += 2) arguments.push_back({pairs[i], pairs[i + 1]});
  return arguments;
}

inline std::vector<Operand> pairs_of(std::span<const Argument> arguments) {
  std::vector<Operand> pairs;
  for (const Argument& argument : arguments) pairs.insert(pairs.end(), {argument.guard, argument.value});
  return pairs;
}

// The complement of a psi's guard; always has none.
inline Operand complement(Operand guard) { return Operand::predicate(guard.reg(), !guard.is_negated()); }

// The steps. Each leaves SSA form that refines what it found.
void fold(Scene& scene);
void extend(Scene& scene);
void replace(Scene& scene);
void speculate(Scene& scene);
void nest(Scene& scene);
void promote(Scene& scene);
void permute(Scene& scene);
void move(Scene& scene);

}  // namespace psi::scrambling
