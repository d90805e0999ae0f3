#include "transform/unread_arguments.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "psi/defined.h"
#include "psi/guard_facts.h"

namespace psi::transform {
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
  // What reads a psi more often than this is taken to read it always.
  static constexpr size_t kMaxUses = 8;

  void drop_from(InstId id, BlockId b) {
    std::span<const Operand> pairs = std::as_const(function_).operands(id);
    Term read = where_read(function_.inst(id).results[0]);
    kept_.clear();
    for (size_t i = 0; i < pairs.size(); i += 2) {
      // What lies left of an argument without a guard is never taken.
      if (i > 0 && pairs[i] == Operand::always()) kept_.clear();
      bool is_last = kept_.empty() && i + 2 == pairs.size();
      if (!is_last && is_unread(pairs[i], read) && can_read_on(b)) continue;
      kept_.insert(kept_.end(), {pairs[i], pairs[i + 1]});
    }
    if (kept_.size() == pairs.size()) return;
    dropped_ += (pairs.size() - kept_.size()) / 2;
    function_.set_operands(id, kept_);
  }

  bool is_unread(Operand guard, Term read) {
    return read != Term::always() && guard.reads_reg() && facts_->excludes(facts_->term(guard), read);
  }

  // Without an argument the guards to its left are read where its own is true; they must not be undef.
  bool can_read_on(BlockId b) {
    if (kept_.empty()) return true;
    if (!defined_) defined_.emplace(function_, analyses_);
    for (size_t i = 0; i < kept_.size(); i += 2) {
      if (kept_[i].reads_reg() && !defined_->at(kept_[i].reg(), {b, 0})) return false;
    }
    return true;
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
    std::span<const Use> uses = analyses_.uses().uses(psi);
    if (!is_read_under_guards(uses)) return Term::always();
    if (!facts_) facts_.emplace(function_, analyses_);
    Term read = Term::never();
    for (Use use : uses) {
      const Inst& inst = function_.inst(use.inst);
      Term here = facts_->term(inst.guard);
      if (inst.is_psi()) {
        // An argument may have moved by now, so look for it by its value.
        std::span<const Operand> pairs = std::as_const(function_).operands(use.inst);
        here = Term::never();
        for (size_t i = 0; i < pairs.size(); i += 2) {
          if (pairs[i].reads_reg() && pairs[i].reg() == psi) return Term::always();
          if (pairs[i + 1] == Operand::reg(psi)) here = facts_->either(here, facts_->term(pairs[i]));
        }
      }
      read = facts_->either(read, here);
      if (read == Term::always()) break;
    }
    return read;
  }

  Function& function_;
  Analyses& analyses_;
  std::optional<GuardFacts> facts_;  // made when first asked
  std::optional<Defined> defined_;
  std::vector<Operand> kept_;
  uint64_t dropped_ = 0;
};

}  // namespace

uint64_t drop_unread_arguments(Function& function, Analyses& analyses) {
  return UnreadArguments(function, analyses).run();
}

}  // namespace psi::transform
