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
  explicit Guards(ScrambleContext& context) : context_(context), facts_(context) {}

  void run() {
    for_each_psi(context_, facts_, [&](Psi& psi) {
      for (size_t i = 0; i < psi.size(); ++i) {
        if (context_.dice.percent(50)) promote(psi, i);
        if (context_.dice.percent(30)) shrink(psi, i);
      }
    });
  }

 private:
  void promote(Psi& psi, size_t i) {
    Term guard = facts_.term(psi[i].guard);
    if (guard == Term::always()) return;
    Term rest = facts_.united(psi.from(i)), earlier = facts_.united(psi.before(i));
    Term domain = facts_.domain(psi[i].value);
    for (Operand wider : candidates(psi, i)) {
      Term wide = facts_.term(wider);
      if (wide == guard || !facts_.contains(wide, guard)) continue;
      // The first may be taken where it is undefined, as the psi was before.
      if (i > 0 && !facts_.contains(domain, wide)) continue;
      if (i > 0 && !facts_.excludes(facts_.both(wide, !rest), earlier)) continue;
      if (!psi.change(i, wider)) continue;
      context_.counters.add("guards promoted", 1);
      return;
    }
  }

  void shrink(Psi& psi, size_t i) {
    Term guard = facts_.term(psi[i].guard);
    Term needed = facts_.both(guard, !facts_.united(psi.from(i + 1)));
    for (Operand narrower : candidates(psi, i)) {
      Term narrow = facts_.term(narrower);
      if (narrow == guard || !facts_.contains(guard, narrow) || !facts_.contains(narrow, needed)) {
        continue;
      }
      if (!psi.change(i, narrower)) continue;
      context_.counters.add("guards shrunk", 1);
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
      InstId definition = facts_.definition(psi[i].value.reg());
      if (definition) add(context_.function.inst(definition).guard.as_operand());
    }
    for (Reg r : facts_.some_registers(Type::i1, 4, context_.dice)) {
      add(Operand::predicate(r, context_.dice.percent(50)));
    }
    context_.dice.shuffle(std::span(found));
    return found;
  }

  ScrambleContext& context_;
  FunctionFacts facts_;
};

}  // namespace

void promote(ScrambleContext& context) { Guards(context).run(); }

void permute(ScrambleContext& context) {
  FunctionFacts facts(context);
  for_each_psi(context, facts, [&](Psi& psi) {
    for (size_t i = 0; i + 1 < psi.size(); ++i) {
      if (!context.dice.percent(50)) continue;
      // The left one will be read where the right one is true, too.
      if (!psi.is_defined_before(i + 1, psi[i].guard)) continue;
      Term left = facts.term(psi[i].guard);
      if (!facts.excludes(left, facts.term(psi[i + 1].guard))) continue;
      if (i == 0 && !facts.contains(facts.domain(psi[0].value), left)) continue;
      std::vector<Argument> arguments(psi.arguments().begin(), psi.arguments().end());
      std::swap(arguments[i], arguments[i + 1]);
      if (psi.change(std::move(arguments))) context.counters.add("arguments permuted", 1);
    }
  });
}

}  // namespace psi::scramble
