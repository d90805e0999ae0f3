#include "destruct/psi_repair.h"

#include <algorithm>
#include <utility>

namespace psi::destruct {

using namespace live;

PsiRepair::PsiRepair(Function& function, Analyses& analyses, const DestructOptions& options)
    : function_(function),
      points_(function, analyses),
      guards_(guard_facts(analyses, !options.predicates)),
      reads_(function, analyses, points_),
      chains_(function, analyses, points_, guards_),
      liveness_(function, analyses, chains_),
      webs_(function, analyses, chains_, liveness_, guards_, {options.predicates, options.values}) {}

void PsiRepair::repair(uint32_t c, CopyPlace place, std::vector<uint8_t> must_copy) {
  const Chain& chain = chains_.chains()[c];
  must_copy.resize(chain.count);
  size_t num_copied = 0;
  while (!attempt(chain, place, must_copy)) {
    undo_copies(chain);
    auto now = static_cast<size_t>(std::ranges::count(must_copy, uint8_t{1}));
    if (now == num_copied) {
      isolate(chain);
      break;
    }
    num_copied = now;
  }
  webs_.commit();
  insert_copies(chain);
  chains_.update_top(c);
}

bool PsiRepair::attempt(const Chain& chain, CopyPlace place, std::vector<uint8_t>& must_copy) {
  Point next = chains_.definition(chain.result);
  for (uint32_t i = chain.count; i-- > 0;) {
    uint32_t l = chain.first + i;
    Reg source = chains_.link(l).source;
    set_end(l, next);
    if (!must_copy[i] && joins(l, chain.result)) {
      webs_.unite(source, chain.result);
      next = chains_.definition(chains_.top(source));
    } else if (add_copy(l, place, chain.result)) {
      next = chains_.link(l).copy_point;
    } else {
      // Which argument has brought it along?
      webs_.undo();
      for (uint32_t k = i + 1; k < chain.count; ++k) {
        Reg argument = chains_.link(chain.first + k).reg();
        for (Reg other : clashes_) must_copy[k] = must_copy[k] || webs_.are_united(argument, other);
      }
      return false;
    }
  }
  return true;
}

// May the link join the web of the psi without a copy? It may have to hold its value longer than in its own
// web.
bool PsiRepair::joins(uint32_t l, Reg result) {
  const Link& link = chains_.link(l);
  if (link.end != link.first_end && webs_.find_clash(link.source, link.source)) return false;
  return !webs_.do_clash(link.source, result);
}

bool PsiRepair::add_copy(uint32_t l, CopyPlace place, Reg result) {
  const Link& link = chains_.link(l);
  clashes_.clear();
  if (place == CopyPlace::BelowDefinition) {
    if (try_copy(l, points_.add(points_.gap_below(chains_.definition(link.source))), result)) return true;
  }
  // There is such a gap: no argument but the first begins with a phi (psi_normalize.cpp).
  if (try_copy(l, points_.add({link.first_end.block, link.first_end.index - 1}), result)) return true;
  if (link.end == link.first_end) return false;
  // Further down, if the source is still what it was.
  Point gap{link.end.block, link.end.index - (link.end.is_gap() ? 0 : 1)};
  Point point = link.end.is_gap() ? points_.add_on_top(gap) : points_.add(gap);
  return points_.is_above(chains_.definition(link.source), point) && try_copy(l, point, result);
}

bool PsiRepair::try_copy(uint32_t l, Point point, Reg result) {
  const Link& link = chains_.link(l);
  Guard guard = copy_guard(l);
  if (guard && !points_.is_above(chains_.definition(guard.reg()), point)) return false;
  Reg copy = plan_copy(l, point, point);
  bool is_readable = points_.is_above(point, link.first_end) || !webs_.find_clash(link.source, link.source);
  Reg other = webs_.find_clash(copy, result);
  if (is_readable && !other) {
    webs_.unite(copy, result);
    return true;
  }
  if (other) clashes_.push_back(other);
  chains_.undo_copy(l);
  liveness_.forget(link.source);
  return false;
}

Reg PsiRepair::plan_copy(uint32_t l, Point point, Point read) {
  Guard guard = copy_guard(l);
  Term written = is_sure(l, guard, {point.block, point.index}) ? guards_.term(guard) : Term::always();
  Reg copy = chains_.copy(l, point, read, written);
  liveness_.forget(chains_.link(l).source);
  liveness_.forget(copy);
  return copy;
}

// The first argument may have a guard that is true where it is not written. Then that of its definition
// suffices, if unchanged, or none: with anything to the left of the psi, the psi would not be normalized.
Guard PsiRepair::copy_guard(uint32_t l) {
  const Link& link = chains_.link(l);
  if (l != chains_.chains()[link.chain].first) return link.guard;
  if (contains(guards_, chains_.written(link.source), guards_.term(link.guard))) return link.guard;
  if (chains_.is_merge(link.source)) return Guard();
  Guard guard = chains_.definition_guard(link.source);
  return guard && chains_.is_in_psi(guard.reg()) ? Guard() : guard;
}

// Is the guard, for a copy of the link, defined in the gap?
bool PsiRepair::is_sure(uint32_t l, Guard guard, Point gap) {
  if (guard.is_always()) return true;
  const Link& link = chains_.link(l);
  const Chain& chain = chains_.chains()[link.chain];
  // The psi always reads its last guard.
  bool is_last = std::as_const(function_).operands(chain.psi).back() == Operand::reg(link.source) &&
                 l + 1 == chain.first + chain.count && guard == link.guard;
  if (is_last && gap == points_.gap_above(chain.psi)) return true;
  return reads_.is_sure(guard.reg(), gap);
}

void PsiRepair::undo_copies(const Chain& chain) {
  for (uint32_t l = chain.first; l < chain.first + chain.count; ++l) {
    chains_.undo_copy(l);
    chains_.set_end(l, chains_.link(l).first_end);
    liveness_.forget(chains_.link(l).source);
  }
}

void PsiRepair::set_end(uint32_t l, Point end) {
  if (chains_.link(l).end == end) return;
  chains_.set_end(l, end);
  liveness_.forget(chains_.link(l).reg());
}

// Sources are read where possible, and held in separate registers down to the psi.
void PsiRepair::isolate(const Chain& chain) {
  for (uint32_t l = chain.first; l < chain.first + chain.count; ++l) {
    Point end = chains_.link(l).first_end, psi = points_.of(chain.psi);
    Point point = points_.add({psi.block, psi.index - 1});
    Point read = end == psi ? point : points_.add({end.block, end.index - 1});
    webs_.unite(plan_copy(l, point, read), chain.result);
  }
  Point end = chains_.definition(chain.result);
  for (uint32_t l = chain.first + chain.count; l-- > chain.first;) {
    set_end(l, end);
    end = chains_.link(l).copy_point;
  }
}

void PsiRepair::insert_copies(const Chain& chain) {
  for (uint32_t l = chain.first; l < chain.first + chain.count; ++l) {
    const Link& link = chains_.link(l);
    if (!link.copy) continue;
    Guard guard = copy_guard(l);
    if (!is_sure(l, guard, {link.copy_point.block, link.copy_point.index})) {
      Reg frozen = like(function_, guard.reg());
      points_.insert(Points::just_above(link.copy_point), make_freeze(function_, guard.reg(), frozen));
      guard = Guard(frozen, guard.is_negated());
      chains_.set_guard(l, guard);
      ++frozen_;
    }
    Reg source = link.source;
    if (link.read_point != link.copy_point) {
      Reg saved = like(function_, source);
      points_.insert(link.read_point, make_copy(function_, Operand::reg(source), Guard(), saved));
      source = saved;
      ++copies_;
    }
    points_.insert(link.copy_point, make_copy(function_, Operand::reg(source), guard, link.copy));
    ++copies_;
  }
}

void PsiRepair::copy_result(uint32_t c) {
  const Chain& chain = chains_.chains()[c];
  Reg old = chain.result;
  Point point = points_.add(points_.gap_below(points_.of(chain.psi)));
  Reg result = chains_.split_result(c, point);
  points_.insert(point, make_copy(function_, Operand::reg(result), Guard(), old));
  liveness_.forget(old);
  ++copies_;
}

std::vector<Reg> PsiRepair::finish(Counters& counters) {
  chains_.write_psis();
  points_.apply();
  counters.add("copies by psi-web", copies_);
  counters.add("guards frozen", frozen_);
  return webs_.representatives(function_.num_regs());
}

}  // namespace psi::destruct
