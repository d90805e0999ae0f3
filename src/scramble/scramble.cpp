// Makes SSA form unconventional, to test later passes. Each step is legal and preserves SSA form; together
// they treat webs of phis and psis as optimisations do, but more often:
//
//     p ? a = ..                  b = ..                   speculated and moved
//     !p ? b = ..           ==>   p ? a = ..
//     x = psi p?a, !p?b           x = psi b, p?a           permuted, and the guard of b promoted
//     p ? store a                 p ? store x              what x is where p is true
//
// Requires SSA form; ensures SSA form that refines it. The source of each step says what makes it legal. In
// all, a guard must not be read where it may be undef (see Defined).
#include "psi/scramble/scramble.h"

#include "scramble/scramble_context.h"

namespace psi {
namespace {

using Step = void (*)(scramble::ScrambleContext&);

struct Choice {
  const char* name;
  bool ScrambleOptions::* wanted;
  Step step;
  const char* summary;
};

// In execution order: each creates opportunities for later ones.
constexpr Choice kChoices[] = {
    {"fold", &ScrambleOptions::fold, scramble::fold, "read what copies copy"},
    {"extend", &ScrambleOptions::extend, scramble::extend,
     "take values through phis of their own, double phis and instructions"},
    {"replace", &ScrambleOptions::replace, scramble::replace, "read other registers of the same value"},
    {"speculate", &ScrambleOptions::speculate, scramble::speculate, "enlarge the guards of pure definitions"},
    {"nest", &ScrambleOptions::nest, scramble::nest,
     "inline and split psis, add and drop arguments that never win"},
    {"promote", &ScrambleOptions::promote, scramble::promote, "enlarge and cut the guards of psi arguments"},
    {"permute", &ScrambleOptions::permute, scramble::permute,
     "exchange psi arguments that exclude each other"},
    {"move", &ScrambleOptions::move, scramble::move, "move pure instructions, psis and phis"},
};

}  // namespace

void scramble_ssa(Function& function, Analyses& analyses, const ScrambleOptions& options,
                  Counters& counters) {
  // From the function's text, so that it is reproducible.
  uint64_t seed = options.seed;
  for (BlockId b : function.layout()) seed = seed * 31 + function.insts(b).size();
  scramble::ScrambleContext context{
      function, analyses, counters, scramble::Dice(seed), Defined(function, analyses), {}};
  for (const Choice& choice : kChoices) {
    if (options.*choice.wanted) choice.step(context);
  }
  analyses.drop(Keeps::ControlFlow);
}

void scramble_ssa(PassContext& context) {
  ScrambleOptions options;
  options.seed = context.arguments.number("seed");
  for (const Choice& choice : kChoices) options.*choice.wanted = context.arguments.flag(choice.name);
  scramble_ssa(context.function, context.analyses, options, context.counters);
}

std::vector<PassOption> scramble_options() {
  std::vector<PassOption> options = {
      PassOption::number("seed", {0, UINT32_MAX, 0}, "what the dice start from")};
  for (const Choice& choice : kChoices) {
    options.push_back(PassOption::flag(choice.name, true, choice.summary));
  }
  return options;
}

}  // namespace psi
