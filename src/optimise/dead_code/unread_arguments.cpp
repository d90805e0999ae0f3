#include "optimise/dead_code/unread_arguments.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "psi/analysis/defined.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/predicate/guard_facts.h"

namespace psi::optimise {
namespace {

class UnreadArguments {
 public:
  UnreadArguments(Function& function, Analyses& analyses) : function_(function), analyses_(analyses) {}

  uint64_t run() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (function_.inst(id).is_psi()) drop_from(id, b);
      }
    }
    if (dropped_ > 0) analyses_.drop(Keeps::ControlFlow);
    return dropped_;
  }

 private:
  // A psi with more uses counts as always read.
  static constexpr size_t kMaxUses = 8;

  void drop_from(InstId id, BlockId b) {
    PsiArguments arguments = psi_arguments(function_, id);
    Term read = where_read(function_.inst(id).results[0]);
    kept_.clear();
    for (size_t i = 0; i < arguments.size(); ++i) {
      PsiArgument argument = arguments[i];
      // Arguments to the left of one without a guard are never taken.
      if (i > 0 && argument.guard == Operand::always()) kept_.clear();
      bool is_last = kept_.empty() && i + 1 == arguments.size();
      if (!is_last && is_unread(argument.guard, read) && can_read_on(b)) continue;
      add_psi_argument(kept_, argument);
    }
    size_t dropped = arguments.size() - psi_arguments(kept_).size();
    if (dropped == 0) return;
    dropped_ += dropped;
    function_.set_operands(id, kept_);
  }

  bool is_unread(Operand guard, Term read) {
    return read != Term::always() && guard.reads_reg() && facts_->excludes(facts_->term(guard), read);
  }

  // Without an argument the guards to its left are read where its own is true; they must not be undef.
  bool can_read_on(BlockId b) {
    if (kept_.empty()) return true;
    if (!defined_) defined_.emplace(function_, analyses_);
    return std::ranges::all_of(psi_arguments(kept_), [&](PsiArgument argument) {
      return !argument.guard.reads_reg() || defined_->at(argument.guard.reg(), {b, 0});
    });
  }

  // Without a guard a psi is read wherever control comes, which needs no search.
  bool is_read_under_guards(std::span<const Use> uses) const {
    if (uses.empty() || uses.size() > kMaxUses) return false;
    return std::ranges::all_of(uses, [&](Use use) {
      const Inst& inst = function_.inst(use.inst);
      if (use.is_guard() || inst.is_phi()) return false;
      return inst.is_psi() || inst.guard;
    });
  }

  Term where_read(Reg psi) {
    std::span<const Use> uses = analyses_.get<Uses>().uses(psi);
    if (!is_read_under_guards(uses)) return Term::always();
    if (!facts_) facts_ = &analyses_.get<GuardFacts>();
    Term read = Term::never();
    for (Use use : uses) {
      const Inst& inst = function_.inst(use.inst);
      Term here = facts_->term(inst.guard);
      if (inst.is_psi()) {
        // An argument may have moved by now, so look for it by its value.
        here = Term::never();
        for (auto [guard, value] : psi_arguments(function_, inst)) {
          if (guard.reads_reg() && guard.reg() == psi) return Term::always();
          if (value == Operand::reg(psi)) here = facts_->either(here, facts_->term(guard));
        }
      }
      read = facts_->either(read, here);
      if (read == Term::always()) break;
    }
    return read;
  }

  Function& function_;
  Analyses& analyses_;
  GuardFacts* facts_ = nullptr;  // once asked for
  std::optional<Defined> defined_;
  std::vector<Operand> kept_;
  uint64_t dropped_ = 0;
};

}  // namespace

uint64_t drop_unread_arguments(Function& function, Analyses& analyses) {
  return UnreadArguments(function, analyses).run();
}

}  // namespace psi::optimise
