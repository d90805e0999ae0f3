// psi-reduce: drops the arguments of a psi that are never taken.
//
//     x = psi a1, p?a2, !p?a3      ==>    x = psi p?a2, !p?a3      a1 is always overridden
//     y = psi p?b, q?b             ==>    y = b                    neighbours with the same value
//
// The SSA book, section 15.3 and figure 15.5: an argument is dropped if the union of those to its right
// contains its guard, and, beyond the book, if its guard is never true. Neighbours with the same value are
// merged if their union has a name; for the first argument any guard suffices, since the psi is undef where
// none is true. A psi with one argument left is replaced by its value, which is defined wherever the psi is.
//
// An undef argument stays: the consistency of another psi may depend on it.
//
// Requires SSA form; ensures it. Linear except for queries about unions, which have a limited number of
// guards; an equal or complementary guard is found at any distance.
#include <fmt/format.h>

#include <algorithm>

#include "psi/ir/views.h"
#include "psi_transforms/psi_context.h"

namespace psi::psi_transforms {
namespace {

class Reduction {
 public:
  explicit Reduction(PsiContext& context) : context_(context) {}

  uint32_t run(InstId psi) {
    psi_ = psi;
    context_.load(psi, before_);
    drop();
    uint32_t dropped = static_cast<uint32_t>(before_.size() - after_.size());
    merge();
    uint32_t gone = static_cast<uint32_t>(before_.size() - after_.size());
    if (gone == 0) return 0;
    if (!context_.keeps_term(psi, before_, after_)) {
      context_.refuse(psi, [] { return "not reduced: facts about the predicate would be lost"; });
      return 0;
    }
    if (dropped) context_.count("arguments dropped", dropped);
    if (gone > dropped) context_.count("arguments merged", gone - dropped);
    if (context_.listens()) context_.done(psi, removed_text());
    context_.store(psi, after_);
    return gone;
  }

 private:
  // From right to left. One always stays.
  void drop() {
    after_.clear();
    ++now_;
    right_ = Term::never();
    bool is_covered = false;
    for (size_t i = before_.size(); i-- > 0;) {
      Term guard = before_[i].term;
      bool is_only_one = i == 0 && after_.empty();
      if (!is_only_one && (is_covered || guard == Term::never() || is_overridden(guard))) continue;
      if (after_.size() < kMaxNeighbours) right_ = context_.either(right_, guard);
      see(guard);
      is_covered = guard == Term::always() || right_ == Term::always() || is_seen(!guard);
      after_.push_back(before_[i]);
    }
    std::ranges::reverse(after_);
  }

  bool is_overridden(Term guard) {
    if (is_seen(guard)) return true;
    // Usually the guards of a long psi are disjoint.
    size_t count = std::min(after_.size(), kMaxNeighbours);
    auto is_apart = [&](const Argument& other) { return context_.exclude_by_terms(other.term, guard); };
    return !std::ranges::all_of(std::span(after_).first(count), is_apart) && context_.contains(right_, guard);
  }

  void see(Term guard) {
    if (guard.raw() >= seen_.size()) seen_.resize(2 * guard.raw() + 2);
    seen_[guard.raw()] = now_;
  }
  bool is_seen(Term guard) const { return guard.raw() < seen_.size() && seen_[guard.raw()] == now_; }

  // From left to right, so that merged arguments can be merged again.
  void merge() {
    size_t kept = 0;
    for (size_t i = 0; i < after_.size(); ++i) {
      bool same = kept > 0 && after_[kept - 1].value == after_[i].value;
      if (same && merge(after_[kept - 1], after_[i], kept == 1, std::span(after_).subspan(i + 1))) continue;
      after_[kept++] = after_[i];
    }
    after_.resize(kept);
  }

  // Merges the right one into the left.
  bool merge(Argument& left, const Argument& right, bool is_first, std::span<const Argument> later) {
    if (context_.contains(left.term, right.term)) {
      // It will also be read where the right one is true.
      if (context_.is_defined(left.guard, psi_, later)) return true;
    } else if (context_.contains(right.term, left.term)) {
      left = right;
      return true;
    }
    Term both = context_.either(left.term, right.term);
    std::optional<Operand> guard = context_.name(both, psi_, later);
    if (!guard && is_first) guard = Operand::always();
    if (!guard) return false;
    left.guard = *guard;
    left.term = context_.term(*guard);
    return true;
  }

  std::string removed_text() const {
    std::string words;
    size_t kept = 0;
    for (size_t i = 0; i < before_.size(); ++i) {
      if (kept < after_.size() && after_[kept].value == before_[i].value) {
        ++kept;
        continue;
      }
      words += fmt::format("{}{}", words.empty() ? "" : ", ", context_.text(before_[i].value));
    }
    return fmt::format("reduced to {} of {} arguments, without {}", after_.size(), before_.size(), words);
  }

  PsiContext& context_;
  InstId psi_;
  std::vector<Argument> before_, after_;
  Term right_;                  // the union of the last few guards that stay
  std::vector<uint32_t> seen_;  // by Term::raw(): when a guard to the right last was that
  uint32_t now_ = 0;
};

// Replaces psis with one argument by their values.
class Replacement {
 public:
  explicit Replacement(PsiContext& context)
      : context_(context), function_(context.function()), by_(function_.num_regs()) {}

  // The psi reads the replacements of those above it.
  void rewrite(InstId id) {
    Inst& inst = function_.inst(id);
    if (inst.guard) inst.guard = Guard(replaced(inst.guard.as_operand()));
    for (Operand& operand : function_.operands(id)) operand = replaced(operand);
  }

  void replace(InstId psi) {
    Operand value = psi_arguments(function_, psi).front().value;
    if (context_.listens()) context_.done(psi, fmt::format("replaced by {}", context_.text(value)));
    context_.count("psis replaced");
    if (value.is_reg()) {
      by_[function_.inst(psi).results[0].index()] = value;
      context_.remove(psi);
      any_ = true;
    } else {
      function_.inst(psi).op = Opcode::Mov;
      function_.set_operands(psi, std::array{value});
    }
  }

  void apply() {
    if (!any_) return;
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) rewrite(id);
    }
  }

 private:
  Operand replaced(Operand operand) const {
    if (!operand.reads_reg() || by_[operand.reg().index()].is_none()) return operand;
    return Operand::predicate(by_[operand.reg().index()].reg(), operand.is_negated());
  }

  PsiContext& context_;
  Function& function_;
  std::vector<Operand> by_;  // by Reg; none: stays
  bool any_ = false;
};

}  // namespace

uint32_t reduce(PsiContext& context, InstId psi) { return Reduction(context).run(psi); }

}  // namespace psi::psi_transforms

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_reduce(PassContext& context) {
  psi_transforms::OptionalPsiContext psi_context(context);
  if (!psi_context.has_psis()) return;
  psi_transforms::Reduction reduction(*psi_context);
  psi_transforms::Replacement replacement(*psi_context);
  for (BlockId b : psi_context->blocks()) {
    for (InstId psi : psi_context->psis_in(b)) {
      replacement.rewrite(psi);
      reduction.run(psi);
      if (context.function.operands(psi).size() == 2) replacement.replace(psi);
    }
  }
  replacement.apply();
  psi_context->apply();
}

}  // namespace psi
