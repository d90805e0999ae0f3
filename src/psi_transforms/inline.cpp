// psi-inline: replaces an argument that is a psi by the arguments of that psi.
//
//     x1 = psi a1, p2?a2                x1 = psi a1, p2?a2
//     x2 = psi p1?x1, p3?a3      ==>    x2 = psi p1?a1, (p1 and p2)?a2, p3?a3
//
// The SSA book, section 15.3 and figure 15.4. Where one guard contains the other, the conjunction is the
// smaller of the two. Beyond the book, the inner guard suffices if one to its right is true wherever the
// outer one is false, and so does another predicate that is known to be the conjunction. If there is none it
// is computed, or the psi stays, by option. An inner argument that is never taken under the outer guard is
// left out, and so are those to the left of one that is always taken.
//
// Guards are read from the right up to the first that is true. An inner guard is defined if those to its
// right were false; under a false outer guard these may have been true, so then it may be read only if it is
// always defined. Reading the conjunction is safe: `and` is false where the outer guard is.
//
// Requires SSA form; ensures it. Inner psis come first, so a chain of them becomes one long psi, up to a
// limit of arguments, and unread psis are removed. Near-linear, the limit being a constant.
#include <fmt/format.h>

#include <algorithm>

#include "psi/ir/views.h"
#include "psi_transforms/psi_context.h"

namespace psi::psi_transforms {
namespace {

class Inlining {
 public:
  explicit Inlining(PsiContext& context) : context_(context) {}

  bool run(InstId psi, size_t i) {
    psi_ = psi;
    i_ = i;
    InstId nested = context_.psi_of(psi_arguments(context_.function(), psi)[i].value);
    if (!nested) return false;
    context_.load(psi_, outer_);
    context_.load(nested, inner_);
    if (!check_size() || !check_first() || !cut() || !put_together()) return false;
    for (size_t k = 0; k < cut_.size(); ++k) {
      Argument& argument = after_[i_ + cut_.size() - 1 - k];
      if (argument.guard.is_none())
        argument.guard = context_.materialise(outer_[i_].guard, cut_from_[k], psi_);
    }
    if (context_.listens()) {
      context_.done(psi_, fmt::format("argument {}, {}, inlined", i_ + 1, context_.text(outer_[i_].value)));
    }
    context_.store(psi_, after_);
    context_.count("psis inlined");
    return true;
  }

 private:
  bool check_size() {
    size_t limit = context_.options().max_arguments;
    if (outer_.size() + inner_.size() - 1 <= limit) return true;
    return refuse([&] { return fmt::format("there would be more than {} arguments", limit); });
  }

  // The first argument of a psi has weaker conditions than the others.
  bool check_first() {
    if (i_ == 0) return true;
    Term domain = context_.domain(inner_[0].value);
    Term taken = context_.both(outer_[i_].term, inner_[0].term);
    if (context_.contains(domain, taken)) return true;
    return refuse([&] {
      return fmt::format("{} may be undefined where it would be taken{}", context_.text(inner_[0].value),
                         context_.when_outside(taken, domain));
    });
  }

  // The inner arguments under the outer guard, from right to left. Where that is true one of the inner guards
  // is, too: the domain of the inner psi contains it, or nothing is to its left.
  bool cut() {
    const Argument& outer = outer_[i_];
    later_.assign(outer_.begin() + static_cast<ptrdiff_t>(i_ + 1), outer_.end());
    cut_.clear();
    cut_from_.clear();
    // Are the guards so far the inner ones, so that the next one is defined?
    bool are_the_same = true;
    for (size_t j = inner_.size(); j-- > 0;) {
      if (context_.excludes(outer.term, inner_[j].term)) {
        are_the_same = false;
        continue;
      }
      bool is_consistent =
          j > 0 || i_ == 0 || context_.contains(context_.domain(inner_[0].value), inner_[0].term);
      Argument argument = context_.conjunction(outer, inner_[j], are_the_same, is_consistent, psi_, later_);
      if (argument.guard.is_none() && !context_.options().materialise) {
        return refuse([&] {
          return fmt::format("no predicate that can be read is known to be {} and {}",
                             context_.text(outer.guard), context_.text(inner_[j].guard));
        });
      }
      are_the_same = are_the_same && argument.guard == inner_[j].guard;
      cut_.push_back(argument);
      cut_from_.push_back(inner_[j].guard);
      later_.push_back(argument);
      if (argument.guard == outer.guard) break;
    }
    return true;
  }

  bool put_together() {
    after_.assign(outer_.begin(), outer_.begin() + static_cast<ptrdiff_t>(i_));
    after_.insert(after_.end(), cut_.rbegin(), cut_.rend());
    after_.insert(after_.end(), outer_.begin() + static_cast<ptrdiff_t>(i_ + 1), outer_.end());
    if (after_.empty()) return refuse([] { return "no argument would be left"; });
    return context_.keeps_term(psi_, outer_, after_) ||
           refuse([] { return "facts about the predicate would be lost"; });
  }

  template <class Why>
  bool refuse(Why why) {
    return context_.refuse(psi_, [&] {
      return fmt::format("argument {}, {}, not inlined: {}", i_ + 1, context_.text(outer_[i_].value), why());
    });
  }

  PsiContext& context_;
  InstId psi_;
  size_t i_ = 0;
  std::vector<Argument> outer_, inner_, after_;
  std::vector<Argument> cut_;      // from right to left
  std::vector<Operand> cut_from_;  // the inner guards of these
  std::vector<Argument> later_;    // the arguments read before an argument
};

}  // namespace

bool inline_argument(PsiContext& context, InstId psi, size_t i) { return Inlining(context).run(psi, i); }

}  // namespace psi::psi_transforms

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_inline(PassContext& context) {
  psi_transforms::OptionalPsiContext psi_context(context,
                                                 {.materialise = context.arguments.flag("materialise"),
                                                  .max_arguments = context.arguments.number("limit")});
  if (!psi_context.has_psis()) return;
  Function& function = context.function;
  psi_transforms::Inlining inlining(*psi_context);
  for (BlockId b : psi_context->blocks()) {
    for (InstId psi : psi_context->psis_in(b)) {
      // A replacement of an argument may be a psi, too.
      for (size_t i = 0; 2 * i < function.operands(psi).size();) i += !inlining.run(psi, i);
    }
  }
  psi_context->apply();
  psi_transforms::remove_unread_psis(*psi_context);
}

std::vector<PassOption> psi_inline_options() {
  std::vector<PassOption> options = psi_project_options();
  options.push_back(PassOption::number("limit", {1, 1024, PsiTransformOptions().max_arguments},
                                       "a psi does not get more arguments than this"));
  return options;
}

}  // namespace psi
