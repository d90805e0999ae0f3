// psi-project: makes a use under a guard read only the arguments that are taken there.
//
//     x2 = psi p?a2, !p?a3               x2 = psi p?a2, !p?a3
//     p ? y1 = x2                 ==>    p ? y1 = a2
//     !p ? y2 = x2                       !p ? y2 = a3
//
// The SSA book, section 15.3 and figure 15.6. Where p is true, arguments with guards disjoint from p are not
// taken, nor those to the left of one whose guard contains p. If one argument is left, it is used directly:
// where its own guard is false the psi is undef. Otherwise the remaining arguments form a new psi directly
// behind the first, one for all uses under this predicate, under the conjunctions of the guards where these
// have names (or are computed, by option), and under the original guards otherwise.
//
// The guards of the projected psi are read wherever the psi is reached, also where p is false: a guard that
// may be undefined there is read only after the same guards to its right as before. A psi of predicates is
// projected only to a single argument, and instructions that compute predicates from a psi keep reading it,
// since facts would be lost.
//
// Requires SSA form; ensures it. From the bottom up, so that projected uses can be projected again; unread
// psis are removed. A limited number of arguments and of different guards of uses of a psi is considered:
// linear, with these limits.
#include <fmt/format.h>

#include <algorithm>

#include "psi_transforms/projected_uses.h"
#include "psi_transforms/psi_context.h"

namespace psi::psi_transforms {
namespace {

// The most arguments of a psi considered, from the right.
constexpr size_t kMaxArguments = 64;
// The most predicates under which it is read.
constexpr size_t kMaxProjections = 64;

class Projection {
 public:
  explicit Projection(PsiContext& context) : context_(context) {}

  std::optional<Operand> run(InstId psi, Operand guard) {
    psi_ = psi;
    context_.load(psi, arguments_);
    under_ = {guard, Operand(), context_.term(guard)};
    if (!find_kept() || kept_.empty() || kept_.size() == arguments_.size()) return std::nullopt;
    if (kept_.size() == 1) {
      if (context_.listens()) {
        context_.done(
            psi, fmt::format("{} used for it under {}", context_.text(kept_[0].value), context_.text(guard)));
      }
      return kept_[0].value;
    }
    if (context_.function().inst(psi).type == Type::i1 || !cut()) return std::nullopt;
    Reg result = context_.add_psi(psi, after_);
    context_.count("psis projected");
    if (context_.listens()) {
      context_.done(psi, fmt::format("projected on {}, to {} of {} arguments", context_.text(guard),
                                     after_.size(), arguments_.size()));
    }
    return Operand::reg(result);
  }

 private:
  // The arguments that may be taken, from right to left; false if the search takes too long.
  bool find_kept() {
    kept_.clear();
    are_all_to_the_right_.clear();
    for (size_t i = arguments_.size(); i-- > 0;) {
      if (arguments_.size() - i > kMaxArguments) return false;
      if (context_.excludes(arguments_[i].term, under_.term)) continue;
      are_all_to_the_right_.push_back(kept_.size() == arguments_.size() - 1 - i);
      kept_.push_back(arguments_[i]);
      if (context_.contains(arguments_[i].term, under_.term)) break;
    }
    return true;
  }

  // Gives them readable guards, and orders them.
  bool cut() {
    bool may_name = context_.is_available(under_.guard, psi_) && context_.is_defined(under_.guard, psi_, {});
    after_.clear();
    make_.clear();
    bool are_the_same = true;
    for (size_t j = 0; j < kept_.size(); ++j) {
      bool may_read =
          (are_the_same && are_all_to_the_right_[j]) || context_.is_defined(kept_[j].guard, psi_, after_);
      Argument argument = kept_[j];
      if (may_name) {
        argument = context_.conjunction(under_, kept_[j], may_read, true, psi_, after_);
        bool makes = argument.guard.is_none() && context_.options().materialise;
        if (argument.guard.is_none() && !makes) argument = kept_[j];
        if (makes) make_.push_back(j);
      }
      if (argument.guard == kept_[j].guard && !may_read) {
        return context_.refuse(psi_, [&] {
          return fmt::format("not projected on {}: {} may be undefined where it would be read",
                             context_.text(under_.guard), context_.text(kept_[j].guard));
        });
      }
      are_the_same = are_the_same && argument.guard == kept_[j].guard;
      after_.push_back(argument);
    }
    for (size_t j : make_) after_[j].guard = context_.materialise(under_.guard, kept_[j].guard, psi_);
    std::ranges::reverse(after_);
    return true;
  }

  PsiContext& context_;
  InstId psi_;
  Argument under_;
  std::vector<Argument> arguments_;
  std::vector<Argument> kept_;  // from right to left
  std::vector<bool> are_all_to_the_right_;
  std::vector<Argument> after_;
  std::vector<size_t> make_;  // in after_: whose guards are to be computed
};

// Projects a psi for all its guarded uses.
void project_uses(PsiContext& context, Projection& projection, ProjectedUses& uses, InstId psi) {
  Operand old = Operand::reg(context.function().inst(psi).results[0]);
  uint32_t old_regs = context.function().num_regs();
  std::span<const ProjectedUses::Read> reads = uses.reads(psi);
  uint64_t direct = 0, projected = 0;
  for (size_t first = 0, end = 0, groups = 0; first < reads.size() && groups < kMaxProjections; ++groups) {
    while (end < reads.size() && reads[end].term == reads[first].term) ++end;
    auto group = reads.subspan(first, end - first);
    first = end;
    auto may_change = [&](const ProjectedUses::Read& read) { return uses.may_read(read.use, old, {}); };
    if (std::ranges::none_of(group, may_change)) continue;
    std::optional<Operand> other = projection.run(psi, group[0].guard);
    if (!other) continue;
    bool is_new = other->is_reg() && other->reg().index() >= old_regs;
    if (is_new) uses.note_new_psi();
    for (const ProjectedUses::Read& read : group) {
      if (!uses.may_read(read.use, old, *other)) continue;
      uses.set(read.use, *other);
      ++(is_new ? projected : direct);
    }
  }
  if (direct) context.count("uses made direct", direct);
  if (projected) context.count("uses projected", projected);
}

}  // namespace

std::optional<Operand> project(PsiContext& context, InstId psi, Guard guard) {
  return Projection(context).run(psi, guard.as_operand());
}

}  // namespace psi::psi_transforms

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_project(PassContext& context) {
  psi_transforms::OptionalPsiContext psi_context(context,
                                                 {.materialise = context.arguments.flag("materialise"),
                                                  .max_arguments = PsiTransformOptions().max_arguments});
  if (!psi_context.has_psis()) return;
  psi_transforms::Projection projection(*psi_context);
  psi_transforms::ProjectedUses uses(*psi_context);
  std::span<const BlockId> blocks = psi_context->blocks();
  for (size_t i = blocks.size(); i-- > 0;) {
    std::span<const InstId> psis = psi_context->psis_in(blocks[i]);
    for (size_t k = psis.size(); k-- > 0;)
      psi_transforms::project_uses(*psi_context, projection, uses, psis[k]);
  }
  psi_context->apply();
  psi_transforms::remove_unread_psis(*psi_context);
}

std::vector<PassOption> psi_project_options() {
  return {PassOption::flag("materialise", false, "compute predicates that have no name, with an and")};
}

}  // namespace psi
