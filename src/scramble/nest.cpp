// Inlines psis into psis, and splits long psis; adds and drops arguments that are always overridden.
//
//     x = psi a, p?b         x = psi a, p?b           x = psi a, p?b
//     y = psi x, q?c         y = psi a, p?b, q?c      y = psi z, a, p?b, q?c
//                            inlined                  added
//
// Conditions: the SSA book, chapter 15, section 15.3, and that a guard is read only where it is defined.
// Conjunctions of guards without a name are computed.
#include <optional>

#include "psi/ir/edits.h"
#include "scramble/psi.h"

namespace psi::scramble {
namespace {

constexpr size_t kMaxArguments = 12;
constexpr size_t kMaxNestTries = 6;
// Psis inlined in one iteration can be split in the next.
constexpr int kNumIterations = 3;

class Nesting {
 public:
  explicit Nesting(ScrambleContext& context)
      : context_(context), function_(context.function), facts_(context) {}

  void run() {
    BlockEdits edits;
    for (BlockId b : context_.blocks()) {
      for (InstId id : psis_in(function_, b)) {
        Psi psi(context_, facts_, id);
        change(psi);
        for (InstId made : made_) edits.insert_before(facts_.position(id), made);
        made_.clear();
      }
      edits.apply(function_, b);
    }
  }

 private:
  // At most one change: nothing is known about new instructions.
  void change(Psi& psi) {
    switch (context_.dice.below(5)) {
      case 0:
        return add(psi);
      case 1:
        return drop(psi);
      case 2:
        return split(psi);
      default:
        return inline_one(psi);
    }
  }

  void inline_one(Psi& psi) {
    std::vector<size_t> nested;
    for (size_t i = 0; i < psi.size(); ++i) {
      if (psi_of(psi[i].value)) nested.push_back(i);
    }
    if (nested.empty()) return;
    size_t i = nested[context_.dice.below(nested.size())];
    std::optional<Psi> inner = psi_of(psi[i].value);
    if (psi.size() + inner->size() > kMaxArguments) return;
    if (!facts_.is_consistent(inner->arguments())) return;
    Term outer = facts_.term(psi[i].guard);
    if (i > 0) {
      // Where the guard is true but none of the inner ones is, guards further left would be read.
      if (!is_overwritten(outer, inner->arguments())) return;
      // A first argument has weaker conditions.
      const Argument& first = (*inner)[0];
      Term taken = facts_.both(outer, facts_.term(first.guard));
      if (!facts_.contains(facts_.domain(first.value), taken)) return;
    }
    std::vector<Argument> inlined;
    if (!cut(psi, psi[i].guard, inner->arguments(), inlined)) return made_.clear();
    std::vector<Argument> arguments(psi.before(i).begin(), psi.before(i).end());
    arguments.insert(arguments.end(), inlined.rbegin(), inlined.rend());
    arguments.insert(arguments.end(), psi.from(i + 1).begin(), psi.from(i + 1).end());
    if (!psi.change(std::move(arguments))) return made_.clear();
    context_.counters.add("psis inlined", 1);
  }

  // The psi that defines the value.
  std::optional<Psi> psi_of(Operand value) {
    if (!value.is_reg()) return std::nullopt;
    InstId id = facts_.definition(value.reg());
    if (!id || !function_.inst(id).is_psi()) return std::nullopt;
    std::span<const Operand> pairs = std::as_const(function_).operands(id);
    if (!std::ranges::all_of(pairs, [&](Operand o) { return facts_.knows(o); })) return std::nullopt;
    return Psi(context_, facts_, id);
  }

  // The inner arguments under the outer guard, from right to left; false if there are none, or if a possibly
  // undefined guard would be read.
  bool cut(const Psi& psi, Operand outer, std::span<const Argument> inner, std::vector<Argument>& result) {
    // Are the guards that were met so far false wherever the inner ones are, so that the next one is read?
    bool are_the_same = true;
    for (size_t j = inner.size(); j-- > 0;) {
      std::optional<Operand> guard = conjunction(outer, inner[j].guard);
      if (guard == inner[j].guard) {
        if (!are_the_same && !psi.is_defined(*guard)) return false;
      } else {
        are_the_same = false;
      }
      if (guard) result.push_back({*guard, inner[j].value});
    }
    return !result.empty();
  }

  // The conjunction; nothing if it is empty.
  std::optional<Operand> conjunction(Operand outer, Operand inner) {
    Term a = facts_.term(outer), b = facts_.term(inner);
    if (facts_.excludes(a, b)) return std::nullopt;
    if (facts_.contains(a, b)) return inner;
    if (facts_.contains(b, a)) return outer;
    return Operand::reg(make(Opcode::And, {as_value(outer), as_value(inner)}));
  }

  Operand as_value(Operand guard) {
    return guard.is_negated() ? Operand::reg(make(Opcode::Not, {Operand::reg(guard.reg())})) : guard;
  }

  Reg make(Opcode op, std::initializer_list<Operand> operands) {
    Inst inst;
    inst.op = op;
    inst.type = Type::i1;
    inst.results[0] = function_.add_reg(Type::i1);
    made_.push_back(function_.add_inst(inst, std::span(operands.begin(), operands.size())));
    return inst.results[0];
  }

  void drop(Psi& psi) {
    if (psi.size() < 2) return;
    size_t i = context_.dice.below(psi.size() - 1);
    if (!is_overwritten(facts_.term(psi[i].guard), psi.from(i + 1))) return;
    std::vector<Argument> arguments(psi.arguments().begin(), psi.arguments().end());
    arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(i));
    if (psi.change(std::move(arguments))) context_.counters.add("arguments dropped", 1);
  }

  // Any legal value.
  void add(Psi& psi) {
    if (psi.size() == kMaxArguments) return;
    size_t i = context_.dice.below(psi.size());
    if (i == 0 && !facts_.contains(facts_.domain(psi[0].value), facts_.term(psi[0].guard))) return;
    Operand guard = context_.dice.percent(50) ? Operand::always() : psi[i].guard;
    Term term = facts_.term(guard);
    if (!is_overwritten(term, psi.from(i))) guard = psi[i].guard, term = facts_.term(guard);
    for (Reg r : facts_.some_registers(psi.type(), kMaxNestTries, context_.dice)) {
      Operand value = Operand::reg(r);
      if (!facts_.is_available(value, psi.id())) continue;
      if (i > 0 && !facts_.contains(facts_.domain(value), term)) continue;
      std::vector<Argument> arguments(psi.arguments().begin(), psi.arguments().end());
      arguments.insert(arguments.begin() + static_cast<ptrdiff_t>(i), {guard, value});
      if (!psi.change(std::move(arguments))) continue;
      context_.counters.add("arguments added", 1);
      return;
    }
  }

  // Moves the first arguments to a new psi directly above.
  void split(Psi& psi) {
    if (psi.size() < 3) return;
    size_t count = 2 + context_.dice.below(psi.size() - 2);
    if (!are_defined(psi, psi.before(count))) return;
    Inst inst = function_.inst(psi.id());
    inst.results[0] = function_.add_reg(psi.type());
    std::vector<Argument> arguments = {{Operand::always(), Operand::reg(inst.results[0])}};
    arguments.insert(arguments.end(), psi.from(count).begin(), psi.from(count).end());
    std::vector<Operand> pairs = operands_of(psi.before(count));
    function_.set_operands(psi.id(), operands_of(arguments));
    made_.push_back(function_.add_inst(inst, pairs));
    context_.counters.add("psis split", 1);
  }

  bool is_overwritten(Term guard, std::span<const Argument> later) {
    return facts_.contains(facts_.united(later), guard);
  }
  static bool are_defined(const Psi& psi, std::span<const Argument> arguments) {
    return std::ranges::all_of(arguments, [&](const Argument& a) { return psi.is_defined(a.guard); });
  }

  ScrambleContext& context_;
  Function& function_;
  FunctionFacts facts_;
  std::vector<InstId> made_;  // to stand above the psi
};

}  // namespace

void nest(ScrambleContext& context) {
  for (int iteration = 0; iteration < kNumIterations; ++iteration) Nesting(context).run();
}

}  // namespace psi::scramble
