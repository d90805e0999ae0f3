// A copy for every argument of a psi that needs one, as far down as it may be without being in the way.
//
// The copies of one psi are written one after the other, from left to right. That of an argument stands just
// above the definition of the next one, if that may be the psi's register itself, so that it need not be
// copied; otherwise just above the copy of the next one; the last one's just above the psi. Where a block
// further up is executed less often, at its end.
#include <utility>
#include <vector>

#include "destruct/guards.h"
#include "destruct/isolate.h"
#include "destruct/points.h"

namespace psi::destruction {
namespace {

// So many blocks up the dominator tree a copy may move.
constexpr int kMaxClimb = 32;
// So many guards to the left and to the right of an argument are asked about.
constexpr size_t kMaxNeighbours = 64;

class PsiCopies {
 public:
  PsiCopies(Function& function, Analyses& analyses, bool predicates)
      : function_(function),
        dominators_(analyses.dominators()),
        frequencies_(analyses.frequencies()),
        loops_(analyses.loops()),
        uses_(analyses.uses()),
        points_(function, analyses),
        guards_(function, analyses, predicates),
        reads_(function, analyses, points_) {}

  void run() {
    top_.resize(function_.num_regs());
    for (BlockId b : dominators_.preorder()) {
      for (uint32_t i = 0; i < function_.insts(b).size(); ++i) {
        InstId id = function_.insts(b)[i];
        if (function_.inst(id).is_psi()) isolate(id);
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
    pairs_.assign(function_.operands(psi).begin(), function_.operands(psi).end());
    if (pairs_[1].is_reg()) top_[function_.inst(psi).results[0].index()] = top(pairs_[1].reg());
    size_t count = pairs_.size() / 2;
    Point here = points_.gap_above(psi);
    find_earliest(count);
    Point at = here;
    for (size_t i = count; i-- > 0;) {
      Operand value = pairs_[2 * i + 1];
      if (value.is_undef()) continue;
      if (i > 0 && is_only_for(value, Guard(pairs_[2 * i]))) {
        Point above = above_definition(i, at);
        if (above != at) {
          at = above;
          continue;
        }
      }
      at = coldest(earliest_[i], at, i + 1 < count);
      Guard guard = sure_guard(Guard(pairs_[2 * i]), i, at, i + 1 == count && at == here);
      Reg copy = function_.add_reg(function_.type(function_.inst(psi).results[0]));
      points_.insert(points_.add_on_top(at), make_copy(function_, value, guard, copy));
      if (frozen_) points_.insert(points_.add_on_top(at), frozen_);
      function_.operands(psi)[2 * i] = guard.as_operand();
      function_.operands(psi)[2 * i + 1] = Operand::reg(copy);
      if (i > 0) at = above_definition(i, at);
    }
  }

  // Drops arguments that are never taken or always overwritten, and enlarges guards to those of the
  // definitions where nobody can tell: what is added is overwritten further right, or was undefined
  // (equation 15.1 of the SSA book).
  void simplify(InstId psi) {
    pairs_.assign(function_.operands(psi).begin(), function_.operands(psi).end());
    PredicateTerms& terms = guards_.terms();
    Term right = Term::never();
    size_t kept = pairs_.size();
    left_.assign(1, Term::never());
    for (size_t i = 0; i < pairs_.size(); i += 2) {
      bool is_far = left_.size() > kMaxNeighbours;
      left_.push_back(is_far ? Term::always() : terms.either(left_.back(), guards_.term(Guard(pairs_[i]))));
    }
    size_t num_right = 0;
    for (size_t i = pairs_.size(); i >= 2; i -= 2) {
      Term guard = guards_.term(Guard(pairs_[i - 2]));
      if (++num_right % kMaxNeighbours == 0) right = Term::never();
      // One stays.
      bool may_go = i > 2 || kept < pairs_.size();
      if (may_go && guards_.is_within(guard, right)) continue;
      Term from_here = terms.either(right, guard);
      pairs_[kept - 1] = pairs_[i - 1];
      pairs_[kept - 2] = promoted(pairs_[i - 2], pairs_[i - 1], from_here, left_[i / 2 - 1]).as_operand();
      right = terms.either(from_here, guards_.term(Guard(pairs_[kept - 2])));
      kept -= 2;
    }
    function_.set_operands(psi, std::span(pairs_).subspan(kept));
  }

  Guard promoted(Operand operand, Operand value, Term from_here, Term left) {
    Guard guard(operand);
    if (guard.is_always() || !value.is_reg()) return guard;
    InstId definition = uses_.definition(value.reg());
    if (definition && function_.inst(definition).is_psi()) return guard;
    Guard larger = definition ? function_.inst(definition).guard : Guard();
    if (larger == guard) return guard;
    PredicateTerms& terms = guards_.terms();
    Term term = guards_.term(larger);
    bool is_larger = guards_.is_within(guards_.term(guard), term);
    return is_larger && guards_.is_within(terms.both(term, left), from_here) ? larger : guard;
  }

  // Below the definitions of all arguments and guards up to each.
  void find_earliest(size_t count) {
    earliest_.clear();
    Point last{function_.entry()};
    for (size_t i = 0; i < count; ++i) {
      for (Operand operand : {pairs_[2 * i], pairs_[2 * i + 1]}) {
        if (operand.reads_reg()) last = points_.lower(last, points_.of_definition(operand.reg()));
      }
      earliest_.push_back(points_.gap_below(last));
    }
  }

  // Copies of one psi write one register, so whenever a later one is executed, the earlier ones must have
  // been executed since it was the last time.
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

  // A psi reads a guard only if those to the right are false; an instruction always does. So it has to be
  // known that it is defined, or it is frozen. What the first argument leaves where its guard is false is of
  // no interest.
  Guard sure_guard(Guard guard, size_t argument, Point at, bool is_read_by_psi) {
    frozen_ = InstId();
    if (guard.is_always() || is_read_by_psi || reads_.is_read_above(guard.reg(), at)) return guard;
    if (argument == 0) return Guard();
    Reg frozen = function_.add_reg(Type::i1);
    frozen_ = make_freeze(function_, guard.reg(), frozen);
    return Guard(frozen, guard.is_negated());
  }

  // Is it written just where the psi takes it, and read by nobody else? Then it needs no copy if the one to
  // its left can stand above it.
  bool is_only_for(Operand value, Guard guard) const {
    InstId definition = value.is_reg() ? uses_.definition(value.reg()) : InstId();
    if (!definition || uses_.uses(value.reg()).size() != 1) return false;
    const Inst& inst = function_.inst(definition);
    return inst.guard == guard && !inst.is_phi() && !inst.is_psi();
  }

  // The gap above the definition of an argument, if the copy to its left can stand there, and the definition
  // then be in the register of the psi.
  Point above_definition(size_t argument, Point latest) {
    Operand value = pairs_[2 * argument + 1];
    if (!value.is_reg()) return latest;
    InstId definition = uses_.definition(top(value.reg()));
    if (!definition || function_.inst(definition).is_phi()) return latest;
    Term written = guards_.term(function_.inst(definition).guard);
    if (!guards_.is_within(written, guards_.term(Guard(pairs_[2 * argument])))) return latest;
    Point gap = points_.gap_above(begin_of(definition));
    if (!go_together(gap.block, latest.block)) return latest;
    const Point& earliest = earliest_[argument - 1];
    return points_.is_above(gap, latest) && !points_.is_above(gap, earliest) ? gap : latest;
  }

  // A partial compare is taken apart already: it begins with the copy of the old value, and ends with that
  // of the result.
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
  Guards guards_;
  GuardReads reads_;
  std::vector<Reg> top_;  // by Reg: of the results of psis
  std::vector<Operand> pairs_;
  std::vector<Term> left_;       // by argument: where one to its left is taken, whatever comes later
  std::vector<Point> earliest_;  // by argument
  InstId frozen_;
};

}  // namespace

void isolate_psis(Function& function, Analyses& analyses, bool predicates) {
  PsiCopies(function, analyses, predicates).run();
  analyses.drop(Keeps::ControlFlow);
}

}  // namespace psi::destruction
