// Makes SSA form unconventional, to test what comes after it. Each step is legal on its own and leaves SSA
// form; together they do to webs of phis and psis what optimisations do, only more often:
//
//     p ? a = ..                  b = ..                   speculated and moved
//     !p ? b = ..           ==>   p ? a = ..
//     x = psi p?a, !p?b           x = psi b, p?a           permuted, and the guard of b promoted
//     p ? store a                 p ? store x              what x is where p is true
//
// Requires SSA form; ensures SSA form that refines it. The source of each step says what makes it legal. All
// have in common that a guard must not be read where it may be undef (see Defined).
#include "psi/scramble.h"

#include "scramble/scene.h"

namespace psi {
namespace {

using Step = void (*)(scrambling::Scene&);

struct Choice {
  const char* name;
  bool ScrambleOptions::* wanted;
  Step step;
  const char* summary;
};

// In the order in which they are done: each makes work for those that follow.
constexpr Choice kChoices[] = {
    {"fold", &ScrambleOptions::fold, scrambling::fold, "read what copies copy"},
    {"extend", &ScrambleOptions::extend, scrambling::extend,
     "take values through phis of their own, double phis and instructions"},
    {"replace", &ScrambleOptions::replace, scrambling::replace, "read other registers of the same value"},
    {"speculate", &ScrambleOptions::speculate, scrambling::speculate,
     "enlarge the guards of pure definitions"},
    {"nest", &ScrambleOptions::nest, scrambling::nest,
     "inline and split psis, add and drop arguments that never win"},
    {"promote", &ScrambleOptions::promote, scrambling::promote,
     "enlarge and cut the guards of psi arguments"},
    {"permute", &ScrambleOptions::permute, scrambling::permute,
     "exchange psi arguments that exclude each other"},
    {"move", &ScrambleOptions::move, scrambling::move, "move pure instructions, psis and phis"},
};

constexpr uint32_t kNumSeeds = 10;

}  // namespace

void scramble(Function& function, Analyses& analyses, const ScrambleOptions& options, Counters& counters) {
  // From what the text of the function shows, so that it can be done again.
  uint64_t seed = options.seed;
  for (BlockId b : function.layout()) seed = seed * 31 + function.insts(b).size();
  scrambling::Scene scene{function, analyses, counters, scrambling::Dice(seed), Defined(function, analyses),
                          {}};
  for (const Choice& choice : kChoices) {
    if (options.*choice.wanted) choice.step(scene);
  }
  analyses.drop(Keeps::ControlFlow);
}

void scramble(PassContext& context) {
  ScrambleOptions options;
  options.seed = static_cast<uint32_t>(context.arguments["seed"][0] - '0');
  for (const Choice& choice : kChoices) options.*choice.wanted = context.arguments[choice.name] == "on";
  scramble(context.function, context.analyses, options, context.counters);
}

std::vector<PassOption> scramble_options() {
  std::vector<PassOption> options = {{"seed", {}, "what the dice start from"}};
  for (uint32_t seed = 0; seed < kNumSeeds; ++seed) options[0].values.push_back(std::to_string(seed));
  for (const Choice& choice : kChoices) options.push_back({choice.name, {"on", "off"}, choice.summary});
  return options;
}

}  // namespace psi
