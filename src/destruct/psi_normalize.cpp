// Psi-normalize: the first step out of psi-SSA form. From left to right the arguments of a psi are to be
// defined from top to bottom, each under the guard that it has in the psi, so that all of them can write one
// register.
//
//     p ? b = ...                        p ? b = ...
//     a = ...                            a = ...
//                               ==>      p ? b' = b
//     x = psi a, p ? b                   x = psi a, p ? b'
//
// The SSA book, section 15.4.1, and de Ferriere 2007, section 4.3. Guards are compared as predicates. Before
// a copy is made the guard is enlarged to that of the definition if the psi's value allows it (equation
// 15.1), or disjoint arguments are exchanged. Writes count, not reads: the first argument may be defined
// where the psi does not take it, so it needs no copy, and a psi that is itself an argument must not write
// where its guard is false. An argument whose guard is always true hides those to its left, which are
// dropped.
//
// A new guarded copy reads its guard where the psi may not have: if that could be undef there, the guard is
// frozen first.
//
// Requires SSA form. Ensures that every reachable psi is normalized, and takes registers and undef only. No
// argument but the first is written everywhere, so none of the others is a phi, or begins with one. One walk
// over the dominator tree; psis cost their arguments, and where promotion is tried these times those to the
// left, up to a limit.

#include <algorithm>
#include <optional>
#include <vector>

#include "destruct/psi_definitions.h"
#include "destruct/psi_steps.h"
#include "live/guard_reads.h"
#include "live/points.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"

namespace psi::destruct {

using namespace live;
namespace {

class PsiNormalization {
 public:
  PsiNormalization(Function& function, Analyses& analyses, const DestructOptions& options)
      : function_(function),
        options_(options),
        dominators_(analyses.get<Dominators>()),
        points_(function, analyses),
        guards_(guard_facts(analyses, !options.predicates)),
        reads_(function, analyses, points_),
        definitions_(function, analyses, points_, guards_) {}

  void run(Counters& counters) {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        if (function_.inst(id).is_psi()) normalize(id);
      }
    }
    points_.apply();
    counters.add("copies by psi-normalize", copies_);
    counters.add("constants by psi-normalize", constants_);
    counters.add("guards frozen", frozen_);
    counters.add("guards promoted", promoted_);
    counters.add("arguments permuted", permuted_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  // The most arguments to the left and right that are considered.
  static constexpr size_t kMaxNeighbours = 16;

  void normalize(InstId psi) {
    psi_ = points_.of(psi);
    result_ = function_.inst(psi).results[0];
    load(psi);
    reduce();
    size_t first = kNone, previous = kNone;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].is_undef()) continue;
      bool fits = arguments_[i].is_reg() && (previous == kNone || fits_guard(i));
      if (is_always_taken(i, fits && previous != kNone)) {
        arguments_.erase(arguments_.begin(), arguments_.begin() + static_cast<ptrdiff_t>(i));
        i = 0;
        previous = kNone;
      }
      if (previous == kNone) {
        first = i;
        if (!options_.promote && fits && !writes_no_more(i)) copy(i, kNone);
      } else if (!(fits && (is_above(previous, i) || permute(first, i)))) {
        copy(i, previous);
      }
      previous = i;
    }
    if (first != kNone) settle_first(first);
    store(psi);
    definitions_.add_psi(result_, psi_, arguments_);
  }

  void load(InstId psi) {
    arguments_.clear();
    for (auto [guard, value] : psi_arguments(function_, psi)) arguments_.push_back({Guard(guard), value});
  }

  void store(InstId psi) {
    operands_.clear();
    for (const PsiArgument& argument : arguments_) {
      add_psi_argument(operands_, argument.guard.as_operand(), argument.value);
    }
    if (!std::ranges::equal(operands_, std::as_const(function_).operands(psi))) {
      function_.set_operands(psi, operands_);
    }
  }

  // Drops arguments that are never taken: their guards are never true, or those to their right hide them. One
  // stays.
  void reduce() {
    Term right = Term::never();
    size_t kept = arguments_.size();
    for (size_t i = arguments_.size(); i-- > 0;) {
      Term guard = guards_.term(arguments_[i].guard);
      size_t num_right = arguments_.size() - kept;
      bool may_go = i > 0 || num_right > 0;
      if (may_go && (guard == Term::never() || right == Term::always())) continue;
      bool may_be_hidden = num_right > 1 || (num_right == 1 && guard != Term::always());
      if (may_be_hidden && guards_.contains(right, guard)) continue;
      arguments_[--kept] = arguments_[i];
      if (arguments_.size() - kept <= kMaxNeighbours) right = guards_.terms().either(right, guard);
    }
    arguments_.erase(arguments_.begin(), arguments_.begin() + static_cast<ptrdiff_t>(kept));
  }

  // If it writes only where it is taken, and everywhere, it is.
  bool is_always_taken(size_t i, bool fits) {
    return guards_.term(arguments_[i].guard) == Term::always() ||
           (fits && definitions_.written(arguments_[i].reg()).term() == Term::always());
  }

  // --- Guards -------------------------------------------------------------------------------------------

  bool writes_no_more(size_t i) {
    return contains(guards_, guards_.term(arguments_[i].guard), definitions_.written(arguments_[i].reg()));
  }
  bool writes_no_less(size_t i) {
    return contains(guards_, definitions_.written(arguments_[i].reg()), guards_.term(arguments_[i].guard));
  }

  bool is_exact(size_t i) {
    return definitions_.is_full(arguments_[i].reg()) && writes_no_more(i) && writes_no_less(i);
  }

  // Is the argument, not the first one, written only where the psi takes it? Takes the definition's own guard
  // where it can, since that is sure to be defined.
  bool fits_guard(size_t i) {
    PsiArgument& argument = arguments_[i];
    if (!definitions_.is_tight(argument.reg())) return false;
    std::optional<Guard> guard = definitions_.guard(argument.reg());
    if (writes_no_more(i)) {
      if (guard && writes_no_less(i)) argument.guard = *guard;
      return true;
    }
    if (!guard || !options_.promote || !can_promote(i)) return false;
    argument.guard = *guard;
    ++promoted_;
    return true;
  }

  // Where the guard would become true the psi must have had no value (equation 15.1), or undef.
  bool can_promote(size_t i) {
    if (i > kMaxNeighbours) return false;
    Term increase = definitions_.written(arguments_[i].reg()).term();
    size_t end = std::min(arguments_.size(), i + kMaxNeighbours);
    for (size_t k = i; k < end; ++k) {
      increase = guards_.terms().both(increase, !guards_.term(arguments_[k].guard));
    }
    for (size_t k = 0; k < i; ++k) {
      if (arguments_[k].is_undef()) continue;
      if (!guards_.excludes(increase, guards_.term(arguments_[k].guard))) return false;
    }
    return true;
  }

  // The first argument hides nothing, so additional writes are harmless.
  void settle_first(size_t first) {
    PsiArgument& argument = arguments_[first];
    if (!argument.is_reg()) return define_constant(first);
    std::optional<Guard> guard = definitions_.guard(argument.reg());
    if (!options_.promote || !guard || !writes_no_less(first)) return;
    promoted_ += guards_.term(*guard) != guards_.term(argument.guard);
    argument.guard = *guard;
  }

  // --- Order --------------------------------------------------------------------------------------------

  // Is the one defined above all that the other is made of? A literal at the left has no position yet, and
  // gets a fitting one.
  bool is_above(size_t i, size_t k) const {
    if (!arguments_[i].is_reg()) return true;
    return points_.is_above(definitions_.definition(arguments_[i].reg()),
                            definitions_.top(arguments_[k].reg()));
  }

  // Moves the argument to where its definition belongs, past arguments that are never taken together with it.
  // Their guards are then read before its own.
  bool permute(size_t first, size_t i) {
    if (!options_.permute) return false;
    Term guard = guards_.term(arguments_[i].guard);
    for (size_t k = i; k-- > first;) {
      const PsiArgument& passed = arguments_[k];
      if (!passed.is_reg() || !is_sure(passed.guard)) return false;
      if (!guards_.excludes(guard, guards_.term(passed.guard))) return false;
      // No longer the first, it must be written just where the psi takes it; and if that is everywhere, the
      // other is never taken.
      if (k == first && (!is_exact(k) || is_always_taken(k, true))) return false;
      size_t left = k;
      while (left > first && arguments_[left - 1].is_undef()) --left;
      if (left > first && !is_above(left - 1, i)) continue;
      if (!is_above(i, k)) return false;
      auto begin = arguments_.begin();
      std::rotate(begin + static_cast<ptrdiff_t>(k), begin + static_cast<ptrdiff_t>(i),
                  begin + static_cast<ptrdiff_t>(i + 1));
      ++permuted_;
      return true;
    }
    return false;
  }

  // Is it defined wherever the psi is reached?
  bool is_sure(Guard guard) {
    return guard.is_always() || definitions_.is_new(guard.reg()) || reads_.is_sure(guard.reg(), psi_);
  }

  // --- Copies -------------------------------------------------------------------------------------------

  // guard ? a' = a, as high as the definitions of what it reads, and of the argument before, allow.
  void copy(size_t i, size_t previous) {
    PsiArgument& argument = arguments_[i];
    Point needed{function_.entry()};
    auto need = [&](Operand value) {
      if (value.reads_reg()) needed = points_.lower(needed, definitions_.definition(value.reg()));
    };
    need(argument.guard.as_operand());
    need(argument.value);
    if (previous != kNone) need(arguments_[previous].value);
    Point gap = points_.gap_below(needed);
    if (argument.guard) gap = read_guard(i, gap, previous == kNone);
    if (previous != kNone && !arguments_[previous].is_reg()) define_first(previous, points_.add(gap));
    define(i, points_.add(gap));
  }

  // The gap, or one below it, in which a new instruction may read the argument's guard, or what has become of
  // that.
  Point read_guard(size_t i, Point gap, bool is_first) {
    PsiArgument& argument = arguments_[i];
    size_t next = i + 1;
    while (next < arguments_.size() && !arguments_[next].is_reg()) ++next;
    Point end = psi_;
    if (next < arguments_.size()) {
      Point below = definitions_.top(arguments_[next].reg());
      if (points_.is_above(gap, below)) end = below;
    }
    std::optional<Point> read = reads_.first_gap(argument.guard.reg(), gap, end);
    if (read) return *read;
    // The psi always reads the last one.
    if (i + 1 == arguments_.size()) return {psi_.block, psi_.index - 1};
    argument.guard = is_first ? Guard() : freeze(argument.guard, gap);
    return gap;
  }

  // A literal at the left is written where the next argument, or the psi, needs it.
  void define_constant(size_t first) {
    size_t next = first + 1;
    while (next < arguments_.size() && arguments_[next].is_undef()) ++next;
    Point below = next < arguments_.size() ? definitions_.top(arguments_[next].reg()) : psi_;
    define_first(first,
                 below.is_gap() ? points_.add_on_top(below) : points_.add({below.block, below.index - 1}));
  }

  // It needs no guard.
  void define_first(size_t first, Point point) {
    arguments_[first].guard = Guard();
    define(first, point);
  }

  void define(size_t i, Point point) {
    PsiArgument& argument = arguments_[i];
    Reg result = like(function_, argument.is_reg() ? argument.reg() : result_);
    points_.insert(point, make_copy(function_, argument.value, argument.guard, result));
    definitions_.add_copy(result, point, argument.guard);
    ++(argument.is_reg() ? copies_ : constants_);
    argument.value = Operand::reg(result);
  }

  Guard freeze(Guard guard, Point gap) {
    Reg frozen = like(function_, guard.reg());
    points_.insert(points_.add(gap), make_freeze(function_, guard.reg(), frozen));
    ++frozen_;
    return Guard(frozen, guard.is_negated());
  }

  Function& function_;
  const DestructOptions& options_;
  const Dominators& dominators_;
  Points points_;
  GuardFacts& guards_;
  GuardReads reads_;
  PsiDefinitions definitions_;
  // The current psi.
  Point psi_;
  Reg result_;
  std::vector<PsiArgument> arguments_;
  std::vector<Operand> operands_;
  uint64_t copies_ = 0, constants_ = 0, frozen_ = 0, promoted_ = 0, permuted_ = 0;
};

}  // namespace

bool has_psis(const Function& function, const Dominators& dominators) {
  for (BlockId b : dominators.preorder()) {
    for (InstId id : function.insts(b)) {
      if (function.inst(id).is_psi()) return true;
    }
  }
  return false;
}

void normalize_psis(Function& function, Analyses& analyses, const DestructOptions& options,
                    Counters& counters) {
  if (options.psi == PsiMethod::Isolate || !has_psis(function, analyses.get<Dominators>())) return;
  PsiNormalization(function, analyses, options).run(counters);
  analyses.drop(Keeps::ControlFlow);
}

}  // namespace psi::destruct

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_normalize(PassContext& context) {
  DestructOptions options;
  options.predicates = context.arguments.word("predicates") == "aware";
  options.promote = context.arguments.flag("promote");
  options.permute = context.arguments.flag("permute");
  destruct::normalize_psis(context.function, context.analyses, options, context.counters);
}

std::vector<PassOption> psi_normalize_options() {
  return {
      PassOption::flag("promote", true, "enlarge guards instead of copying"),
      PassOption::flag("permute", true, "reorder exclusive arguments instead of copying"),
      PassOption::word("predicates", {"aware", "blind"}, "compare guards as predicates, not by name"),
  };
}

}  // namespace psi
