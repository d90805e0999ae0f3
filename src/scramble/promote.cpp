// Changes the guards and the order of a psi's arguments.
//
//     p ? a = ..             p ? a = ..              p ? a = ..
//     !p ? b = ..            !p ? b = ..             !p ? b = ..
//     x = psi p?a, !p?b      x = psi a, !p?b         x = psi !p?b, p?a
//                            promoted (the first)    permuted
//
// Conditions: the SSA book, chapter 15, sections 15.3 and 15.4 (equation 15.1), and that a guard is read only
// where it is defined. Psis of predicates change only if no facts are lost.
#include "scramble/psi.h"

namespace psi::scramble {
namespace {

class Guards {
 public:
  explicit Guards(Scene& scene) : scene_(scene), knowledge_(scene) {}

  void run() {
    for_each_psi(scene_, knowledge_, [&](Psi& psi) {
      for (size_t i = 0; i < psi.size(); ++i) {
        if (scene_.dice.percent(50)) promote(psi, i);
        if (scene_.dice.percent(30)) shrink(psi, i);
      }
    });
  }

 private:
  void promote(Psi& psi, size_t i) {
    Term guard = knowledge_.term(psi[i].guard);
    if (guard == Term::always()) return;
    Term rest = knowledge_.united(psi.from(i)), earlier = knowledge_.united(psi.before(i));
    Term domain = knowledge_.domain(psi[i].value);
    for (Operand wider : candidates(psi, i)) {
      Term wide = knowledge_.term(wider);
      if (wide == guard || !knowledge_.contains(wide, guard)) continue;
      // The first may be taken where it is undefined, as the psi was before.
      if (i > 0 && !knowledge_.contains(domain, wide)) continue;
      if (i > 0 && !knowledge_.excludes(knowledge_.both(wide, !rest), earlier)) continue;
      if (!psi.change(i, wider)) continue;
      scene_.counters.add("guards promoted", 1);
      return;
    }
  }

  void shrink(Psi& psi, size_t i) {
    Term guard = knowledge_.term(psi[i].guard);
    Term needed = knowledge_.both(guard, !knowledge_.united(psi.from(i + 1)));
    for (Operand narrower : candidates(psi, i)) {
      Term narrow = knowledge_.term(narrower);
      if (narrow == guard || !knowledge_.contains(guard, narrow) || !knowledge_.contains(narrow, needed)) {
        continue;
      }
      if (!psi.change(i, narrower)) continue;
      scene_.counters.add("guards shrunk", 1);
      return;
    }
  }

  // In random order.
  std::vector<Operand> candidates(const Psi& psi, size_t i) {
    std::vector<Operand> found = {Operand::always()};
    auto add = [&](Operand guard) {
      if (guard.reads_reg() && guard != psi[i].guard && psi.is_defined_before(i + 1, guard) &&
          std::ranges::find(found, guard) == found.end()) {
        found.push_back(guard);
      }
    };
    for (const Argument& argument : psi.arguments()) {
      if (!argument.guard.reads_reg()) continue;
      add(argument.guard);
      add(complement(argument.guard));
    }
    if (psi[i].value.is_reg()) {
      InstId definition = knowledge_.definition(psi[i].value.reg());
      if (definition) add(scene_.function.inst(definition).guard.as_operand());
    }
    for (Reg r : knowledge_.some_registers(Type::i1, 4, scene_.dice)) {
      add(Operand::predicate(r, scene_.dice.percent(50)));
    }
    scene_.dice.shuffle(std::span(found));
    return found;
  }

  Scene& scene_;
  Knowledge knowledge_;
};

}  // namespace

void promote(Scene& scene) { Guards(scene).run(); }

void permute(Scene& scene) {
  Knowledge knowledge(scene);
  for_each_psi(scene, knowledge, [&](Psi& psi) {
    for (size_t i = 0; i + 1 < psi.size(); ++i) {
      if (!scene.dice.percent(50)) continue;
      // The left one will be read where the right one is true, too.
      if (!psi.is_defined_before(i + 1, psi[i].guard)) continue;
      Term left = knowledge.term(psi[i].guard);
      if (!knowledge.excludes(left, knowledge.term(psi[i + 1].guard))) continue;
      if (i == 0 && !knowledge.contains(knowledge.domain(psi[0].value), left)) continue;
      std::vector<Argument> arguments(psi.arguments().begin(), psi.arguments().end());
      std::swap(arguments[i], arguments[i + 1]);
      if (psi.change(std::move(arguments))) scene.counters.add("arguments permuted", 1);
    }
  });
}

}  // namespace psi::scramble
