// A copy for every argument of a psi that needs one, as far down as possible without interfering.
//
// The copies of one psi are written one after the other, from left to right. The copy of an argument is just
// above the definition of the next one, if that may share the psi's register and so needs no copy; otherwise
// just above the copy of the next one; the last copy is just above the psi. A copy moves to the end of a
// block further up that is executed less often.
#include <utility>
#include <vector>

#include "destruct/isolate.h"
#include "live/guard_reads.h"
#include "live/points.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/predicate/guard_facts.h"

namespace psi::destruct {

using namespace live;
namespace {

// The most blocks that a copy moves up the dominator tree.
constexpr int kMaxClimb = 32;
// The most guards to the left and right of an argument that are considered.
constexpr size_t kMaxNeighbours = 64;
// So many guards above a psi, in its block, are looked at for a copy of its first argument.
constexpr size_t kMaxGuards = 8;

class PsiCopies {
 public:
  PsiCopies(Function& function, Analyses& analyses, bool predicates)
      : function_(function),
        dominators_(analyses.get<Dominators>()),
        frequencies_(analyses.get<Frequencies>()),
        loops_(analyses.get<Loops>()),
        uses_(analyses.get<Uses>()),
        points_(function, analyses),
        guards_(guard_facts(analyses, !predicates)),
        reads_(function, analyses, points_) {}

  void run() {
    top_.resize(function_.num_regs());
    for (BlockId b : dominators_.preorder()) {
      guards_above_.clear();
      for (uint32_t i = 0; i < function_.insts(b).size(); ++i) {
        InstId id = function_.insts(b)[i];
        if (function_.inst(id).is_psi()) isolate(id);
        note_guard(function_.inst(id).guard);
      }
    }
    points_.apply();
  }

 private:
  // The first definition that a value is made of.
  Reg top(Reg r) const {
    bool is_psi = r.index() < top_.size() && top_[r.index()];
    return is_psi ? top_[r.index()] : r;
  }

  void isolate(InstId psi) {
    simplify(psi);
    operands_.assign(function_.operands(psi).begin(), function_.operands(psi).end());
    Operand first = arguments().front().value;
    if (first.is_reg()) top_[function_.inst(psi).results[0].index()] = top(first.reg());
    size_t count = arguments().size();
    Point here = points_.gap_above(psi);
    find_earliest(count);
    find_unions();
    Point at = here;
    for (size_t i = count; i-- > 0;) {
      auto [predicate, value] = arguments()[i];
      if (value.is_undef()) continue;
      if (i > 0 && is_only_for(value, Guard(predicate))) {
        Point above = above_definition(i, at);
        if (above != at) {
          at = above;
          continue;
        }
      }
      at = coldest(earliest_[i], at, i + 1 < count);
      Guard guard = sure_guard(Guard(predicate), i, at, at == here && !unions_[i].is_none());
      if (i == 0 && guard.is_always()) guard = narrowed(at, at == here);
      Reg copy = function_.add_reg(function_.type(function_.inst(psi).results[0]));
      points_.insert(points_.add_on_top(at), make_copy(function_, value, guard, copy));
      if (frozen_) points_.insert(points_.add_on_top(at), frozen_);
      MutablePsiArgument isolated = mutable_psi_arguments(function_, psi)[i];
      isolated.guard = guard.as_operand();
      isolated.value = Operand::reg(copy);
      if (i > 0) at = above_definition(i, at);
    }
  }

  // Drops arguments that are never taken or always overridden, and enlarges guards to those of the
  // definitions where the result does not change: the added executions are overridden further right, or were
  // undefined (equation 15.1 of the SSA book).
  void simplify(InstId psi) {
    operands_.assign(function_.operands(psi).begin(), function_.operands(psi).end());
    PredicateTerms& terms = guards_.terms();
    Term right = Term::never();
    left_.assign(1, Term::never());
    for (auto [guard, value] : arguments()) {
      bool is_far = left_.size() > kMaxNeighbours;
      left_.push_back(is_far ? Term::always() : terms.either(left_.back(), guards_.term(Guard(guard))));
    }
    // Those that stay gather at the end.
    MutablePsiArguments stay = mutable_psi_arguments(operands_);
    size_t kept = stay.size();
    size_t num_right = 0;
    for (size_t i = stay.size(); i-- > 0;) {
      auto [operand, value] = arguments()[i];
      Term guard = guards_.term(Guard(operand));
      if (++num_right % kMaxNeighbours == 0) right = Term::never();
      // One stays.
      bool may_go = i > 0 || kept < stay.size();
      if (may_go && guards_.contains(right, guard)) continue;
      Term from_here = terms.either(right, guard);
      Guard larger = promoted(operand, value, from_here, left_[i]);
      --kept;
      stay[kept].guard = larger.as_operand();
      stay[kept].value = value;
      right = terms.either(from_here, guards_.term(larger));
    }
    function_.set_operands(psi, stay.without_first(kept).operands());
  }

  PsiArguments arguments() const { return psi_arguments(operands_); }

  Guard promoted(Operand operand, Operand value, Term from_here, Term left) {
    Guard guard(operand);
    if (guard.is_always() || !value.is_reg()) return guard;
    InstId definition = uses_.definition(value.reg());
    if (definition && function_.inst(definition).is_psi()) return guard;
    Guard larger = definition ? function_.inst(definition).guard : Guard();
    if (larger == guard) return guard;
    PredicateTerms& terms = guards_.terms();
    Term term = guards_.term(larger);
    bool is_larger = guards_.contains(term, guards_.term(guard));
    return is_larger && guards_.contains(from_here, terms.both(term, left)) ? larger : guard;
  }

  // Below the definitions of all arguments and guards up to each.
  void find_earliest(size_t count) {
    earliest_.clear();
    Point last{function_.entry()};
    for (size_t i = 0; i < count; ++i) {
      auto [guard, value] = arguments()[i];
      for (Operand operand : {guard, value}) {
        if (operand.reads_reg()) last = points_.lower(last, points_.of_definition(operand.reg()));
      }
      earliest_.push_back(points_.gap_below(last));
    }
  }

  // Copies of one psi write one register, so between two executions of a later one the earlier ones must be
  // executed.
  bool go_together(BlockId above, BlockId below) const {
    LoopId loop = loops_.of(below);
    return above == below || (loops_.of(above) == loop && (!loop || loops_.is_reducible(loop)));
  }

  Point coldest(Point earliest, Point latest, bool is_bound) const {
    Point best = latest;
    BlockId b = latest.block;
    for (int i = 0; i < kMaxClimb && b != earliest.block; ++i) {
      b = dominators_.idom(b);
      if (is_bound && !go_together(b, latest.block)) break;
      if (frequencies_.of(b) >= frequencies_.of(best.block) * (1 - 1e-9)) continue;
      best = {b, 2 * static_cast<uint32_t>(function_.insts(b).size() - function_.terminators(b).size())};
    }
    return best;
  }

  // A psi reads a guard only if those to the right are false; an instruction always reads it. So the guard
  // must be known to be defined, by the psi just below or others, or it is frozen. The first argument may
  // leave any value where its guard is false.
  Guard sure_guard(Guard guard, size_t argument, Point at, bool is_sure_at_psi) {
    frozen_ = InstId();
    if (guard.is_always() || is_sure_at_psi || reads_.is_sure(guard.reg(), at)) return guard;
    if (argument == 0) return Guard();
    Reg frozen = function_.add_reg(Type::i1);
    frozen_ = make_freeze(function_, guard.reg(), frozen);
    return Guard(frozen, guard.is_negated());
  }

  void note_guard(Guard guard) {
    if (guard.is_always()) return;
    std::erase(guards_above_, guard);
    if (guards_above_.size() == kMaxGuards) guards_above_.erase(guards_above_.begin());
    guards_above_.push_back(guard);
  }

  // The first argument is taken where no other is. If one of these is always there, it can be the register of
  // the psi only if the copy of the first one leaves it alone.
  //
  //     x = psi lo, q ? v, r ? hi      ==>      p ? x = lo      p = !(q | r)
  //                                             r ? x = hi      and x is v
  Guard narrowed(Point at, bool is_above_psi) {
    bool is_any_there = false;
    Term others = Term::never();
    for (size_t i = 1; i < arguments().size(); ++i) {
      auto [predicate, value] = arguments()[i];
      is_any_there = is_any_there || is_always_there(value);
      others = guards_.terms().either(others, guards_.term(Guard(predicate)));
    }
    if (!is_any_there || arguments().size() > kMaxNeighbours) return Guard();
    for (Guard guard : guards_above_) {
      bool is_sure = reads_.is_sure(guard.reg(), at);
      if (is_sure && guards_.contains(guards_.term(guard), !others)) return guard;
    }
    return is_above_psi && unions_[1].reads_reg() ? complement(Guard(unions_[1])) : Guard();
  }

  bool is_always_there(Operand value) const {
    if (!value.is_reg()) return false;
    InstId definition = uses_.definition(value.reg());
    return !definition || (!function_.inst(definition).guard && !function_.inst(definition).is_psi());
  }

  // The guard of an argument and all to its right, if that is one predicate: both sides of a cmpp together
  // are its input. A psi that reads all sides finds one that is true, or all false; so their union is
  // defined, and so is each side.
  //
  //     q, r = cmpp.un.uc .. if p
  //     x = psi lo, q ? v, r ? hi          unions_: none, p, r
  void find_unions() {
    unions_.assign(arguments().size(), Operand());
    for (size_t i = arguments().size(); i-- > 0;) {
      Operand guard = arguments()[i].guard;
      bool is_last = i + 1 == unions_.size();
      unions_[i] = is_last ? guard : input_of_both(guard, unions_[i + 1]);
      if (unions_[i].is_none()) break;
    }
  }

  // The input of the cmpp whose sides these are; none if they are not.
  Operand input_of_both(Operand a, Operand b) const {
    if (!a.is_reg() || !b.is_reg()) return Operand();
    InstId definition = uses_.definition(a.reg());
    if (!definition || definition != uses_.definition(b.reg())) return Operand();
    const Inst& inst = function_.inst(definition);
    if (inst.op != Opcode::Cmpp || inst.guard || a == b) return Operand();
    if (is_partial(inst.action(0)) || is_partial(inst.action(1))) return Operand();
    if (is_complement(inst.action(0)) == is_complement(inst.action(1))) return Operand();
    return as_cmpp(function_, inst).input;
  }

  // Is it written exactly where the psi takes it, and unread otherwise? Then it needs no copy if the copy to
  // its left can be above it.
  bool is_only_for(Operand value, Guard guard) const {
    InstId definition = value.is_reg() ? uses_.definition(value.reg()) : InstId();
    if (!definition || uses_.uses(value.reg()).size() != 1) return false;
    const Inst& inst = function_.inst(definition);
    return inst.guard == guard && !inst.is_phi() && !inst.is_psi();
  }

  // The gap above the definition of an argument, if the copy to its left fits there, so that the definition
  // can share the psi's register.
  Point above_definition(size_t argument, Point latest) {
    auto [guard, value] = arguments()[argument];
    if (!value.is_reg()) return latest;
    InstId definition = uses_.definition(top(value.reg()));
    if (!definition || function_.inst(definition).is_phi()) return latest;
    Term written = guards_.term(function_.inst(definition).guard);
    if (!guards_.contains(guards_.term(Guard(guard)), written)) return latest;
    Point gap = points_.gap_above(begin_of(definition));
    if (!go_together(gap.block, latest.block)) return latest;
    const Point& earliest = earliest_[argument - 1];
    return points_.is_above(gap, latest) && !points_.is_above(gap, earliest) ? gap : latest;
  }

  // A partial compare is already isolated: it begins with the copy of the old value, and ends with that of
  // the result.
  InstId begin_of(InstId definition) const {
    const Inst& copy = function_.inst(definition);
    Operand source = copy.op == Opcode::Mov ? std::as_const(function_).operands(definition)[0] : Operand();
    InstId cmpp = source.is_reg() ? uses_.definition(source.reg()) : InstId();
    if (!cmpp || function_.inst(cmpp).op != Opcode::Cmpp) return definition;
    InstId begin = definition;
    for_each_old_value(function_.inst(cmpp), [&](Reg target, uint32_t operand) {
      if (target != source.reg()) return;
      Operand old = std::as_const(function_).operands(cmpp)[operand];
      begin = old.is_reg() && uses_.definition(old.reg()) ? uses_.definition(old.reg()) : cmpp;
    });
    return begin;
  }

  Function& function_;
  const Dominators& dominators_;
  const Frequencies& frequencies_;
  const Loops& loops_;
  const Uses& uses_;
  Points points_;
  GuardFacts& guards_;
  GuardReads reads_;
  std::vector<Reg> top_;             // by Reg: of the results of psis
  std::vector<Operand> operands_;    // of the psi being looked at
  std::vector<Term> left_;           // by argument: where one to its left is taken, whatever comes later
  std::vector<Point> earliest_;      // by argument
  std::vector<Operand> unions_;      // by argument
  std::vector<Guard> guards_above_;  // the last ones in the block
  InstId frozen_;
};

}  // namespace

void isolate_psis(Function& function, Analyses& analyses, bool predicates) {
  PsiCopies(function, analyses, predicates).run();
  analyses.drop(Keeps::ControlFlow);
}

}  // namespace psi::destruct
