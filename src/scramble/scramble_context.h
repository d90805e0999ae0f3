// The shared context of the steps of scramble.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "psi/analysis/defined.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/function.h"
#include "psi/ir/views.h"
#include "psi/pass/analyses.h"
#include "psi/pass/counters.h"

namespace psi::scramble {

// The same numbers on every platform, unlike the distributions of <random>.
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

struct ScrambleContext {
  Function& function;
  Analyses& analyses;
  Counters& counters;
  Dice dice;
  Defined defined;  // of the original function
  // By Reg: the register that a new phi equals, where analysis cannot show it.
  std::vector<Reg> twins;

  // The reachable blocks, dominators first.
  std::span<const BlockId> blocks() { return analyses.get<Dominators>().preorder(); }
};

using Argument = PsiArgument;

// To change them, and to set them again.
inline std::vector<Argument> arguments_of(const Function& function, InstId psi) {
  PsiArguments arguments = psi_arguments(function, psi);
  return {arguments.begin(), arguments.end()};
}

inline std::vector<Operand> operands_of(std::span<const Argument> arguments) {
  std::vector<Operand> operands;
  for (Argument argument : arguments) add_psi_argument(operands, argument);
  return operands;
}

// The steps. Each makes SSA form that refines its input.
void fold(ScrambleContext& context);
void extend(ScrambleContext& context);
void replace(ScrambleContext& context);
void speculate(ScrambleContext& context);
void nest(ScrambleContext& context);
void promote(ScrambleContext& context);
void permute(ScrambleContext& context);
void move(ScrambleContext& context);

}  // namespace psi::scramble
