// The simplest method for webs that do not interfere.
//
//     x = psi a, p ? b       ==>       a' = a
//                                      p ? b' = b
//                                      x = psi a', p ? b'
//
// Correct for all psis, normalized or not.

#include <utility>

#include "destruct/psi_repair.h"
#include "psi/analysis/dominators.h"
#include "psi/ir/views.h"

namespace psi::destruct {

using namespace live;
namespace {

class PsiIsolation {
 public:
  PsiIsolation(Function& function, Analyses& analyses)
      : function_(function),
        dominators_(analyses.get<Dominators>()),
        points_(function, analyses),
        reads_(function, analyses, points_) {}

  std::vector<Reg> run(Counters& counters) {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        if (function_.inst(id).is_psi()) isolate(id);
      }
    }
    points_.apply();
    counters.add("copies by psi-web", copies_);
    counters.add("constants by psi-web", constants_);
    counters.add("guards frozen", frozen_);
    return representatives();
  }

 private:
  void isolate(InstId psi) {
    Reg result = function_.inst(psi).results[0];
    Point gap = points_.gap_above(psi);
    bool is_first = true;
    size_t count = psi_arguments(function_, psi).size();
    for (size_t i = 0; i < count; ++i) {
      auto [predicate, value] = psi_arguments(function_, psi)[i];
      if (value.is_undef()) continue;
      Guard guard(predicate);
      // Nothing lies below the first one.
      if (is_first) guard = Guard();
      is_first = false;
      bool is_sure = i + 1 == count || guard.is_always() || reads_.is_sure(guard.reg(), gap);
      if (!is_sure) guard = freeze(guard, gap);
      Reg copy = like(function_, value.is_reg() ? value.reg() : result);
      points_.insert(points_.add(gap), make_copy(function_, value, guard, copy));
      ++(value.is_reg() ? copies_ : constants_);
      MutablePsiArgument argument = mutable_psi_arguments(function_, psi)[i];
      argument.guard = guard.as_operand();
      argument.value = Operand::reg(copy);
      web_.push_back({copy, result});
    }
  }

  Guard freeze(Guard guard, Point gap) {
    Reg frozen = like(function_, guard.reg());
    points_.insert(points_.add(gap), make_freeze(function_, guard.reg(), frozen));
    ++frozen_;
    return Guard(frozen, guard.is_negated());
  }

  std::vector<Reg> representatives() const {
    std::vector<Reg> result(function_.num_regs());
    for (uint32_t r = 0; r < result.size(); ++r) result[r] = Reg(r);
    for (auto [copy, psi] : web_) result[copy.index()] = psi;
    return result;
  }

  Function& function_;
  const Dominators& dominators_;
  Points points_;
  GuardReads reads_;
  std::vector<std::pair<Reg, Reg>> web_;  // copies, and the psis that take them
  uint64_t copies_ = 0, constants_ = 0, frozen_ = 0;
};

}  // namespace

std::vector<Reg> copy_psi_arguments(Function& function, Analyses& analyses, Counters& counters) {
  return PsiIsolation(function, analyses).run(counters);
}

}  // namespace psi::destruct
