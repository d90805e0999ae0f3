// psi-promote: gives arguments of psis larger guards, so that fewer predicates are read.
//
//     a1 = add i, 1                          a1 = add i, 1
//     a2 = add i, 2                  ==>     a2 = add i, 2
//     x = psi p?a1, !p?a2                    x = psi a1, !p?a2
//
// The SSA book, section 15.3, equation 15.1 and figure 15.8: where the new guard is true and neither the old
// one nor one to its right is, no argument to its left may be taken; and the domain of the value must contain
// the new guard. The first argument may always be promoted to true: where none is taken, the psi is undef,
// and where its value is undefined, so is the psi either way. The new guard must be defined wherever it is
// read: where those to its right are false.
//
// As a pass: the first argument loses its guard; another one gets the guard of its definition, if the psi
// reads that anyway, or if nothing else reads its own, which becomes dead.
//
// Requires SSA form; ensures it. Linear: arguments far to the right are not tried.
#include <fmt/format.h>

#include <algorithm>

#include "psi_transforms/psi_context.h"

namespace psi::psi_transforms {
namespace {

class Promotion {
 public:
  explicit Promotion(PsiContext& context) : context_(context) {}

  bool promote(InstId psi, size_t i, Guard wider) {
    begin(psi);
    return promote(i, wider.as_operand()) && finish();
  }

  void promote_where_it_pays(InstId psi) {
    begin(psi);
    // The first one last: once it is always taken it blocks the others.
    for (size_t i = 1; i < std::min(arguments_.size(), kMaxNeighbours); ++i) {
      Operand wider = guard_of_definition(arguments_[i].value);
      if (!wider.is_none() && wider != arguments_[i].guard && pays(i, wider)) promote(i, wider);
    }
    promote(0, Operand::always());
    if (promoted_ != 0) finish();
  }

 private:
  void begin(InstId psi) {
    psi_ = psi;
    promoted_ = 0;
    context_.load(psi, arguments_);
    if (context_.function().inst(psi).type == Type::i1) before_ = arguments_;
  }

  Operand guard_of_definition(Operand value) const {
    if (!value.is_reg()) return {};
    InstId id = context_.uses().definition(value.reg());
    if (!id || context_.function().inst(id).is_psi()) return {};
    Guard guard = context_.function().inst(id).guard;
    return guard ? guard.as_operand() : Operand();
  }

  bool pays(size_t i, Operand wider) const {
    Operand own = arguments_[i].guard;
    if (!own.reads_reg()) return false;
    if (context_.uses().uses(own.reg()).size() == 1) return true;
    return std::ranges::any_of(arguments_, [&](const Argument& argument) {
      return argument.guard.reads_reg() && argument.guard.reg() == wider.reg();
    });
  }

  bool promote(size_t i, Operand wider) {
    Term wide = context_.term(wider);
    if (wider == arguments_[i].guard || !is_wider(i, wide)) return false;
    if (i > 0 && (!is_within_domain(i, wide) || !overrides_nothing(i, wide))) return false;
    if (!may_read(i, wider)) return false;
    if (context_.listens()) {
      context_.done(psi_, fmt::format("guard {} of argument {} promoted to {}",
                                      context_.text(arguments_[i].guard), i + 1, context_.text(wider)));
    }
    arguments_[i].guard = wider;
    arguments_[i].term = wide;
    ++promoted_;
    return true;
  }

  bool is_wider(size_t i, Term wide) {
    Term own = arguments_[i].term;
    return context_.contains(wide, own) ||
           refuse(i, [&] { return "its own may be true elsewhere" + context_.when_outside(own, wide); });
  }

  bool may_read(size_t i, Operand wider) {
    return (context_.is_available(wider, psi_) &&
            context_.is_defined(wider, psi_, std::span(arguments_).subspan(i + 1))) ||
           refuse(i, [&] { return context_.text(wider) + " may be undefined where it would be read"; });
  }

  bool is_within_domain(size_t i, Term wide) {
    Term domain = context_.domain(arguments_[i].value);
    return context_.contains(domain, wide) || refuse(i, [&] {
             return fmt::format("{} may be undefined there{}", context_.text(arguments_[i].value),
                                context_.when_outside(wide, domain));
           });
  }

  // Equation 15.1.
  bool overrides_nothing(size_t i, Term wide) {
    Term increase = context_.both(wide, !context_.united(std::span(arguments_).subspan(i)));
    for (size_t k = 0; k < i; ++k) {
      Term earlier = arguments_[k].term;
      if (k >= kMaxNeighbours || !context_.excludes(increase, earlier)) {
        return refuse(i, [&] {
          return fmt::format("argument {} may be taken there{}", k + 1,
                             context_.when_both(increase, earlier));
        });
      }
    }
    return true;
  }

  bool finish() {
    if (context_.function().inst(psi_).type == Type::i1 && !context_.keeps_term(psi_, before_, arguments_)) {
      return context_.refuse(psi_, [] { return "not promoted: facts about the predicate would be lost"; });
    }
    context_.store(psi_, arguments_);
    context_.count("guards promoted", promoted_);
    return true;
  }

  template <class Why>
  bool refuse(size_t i, Why why) {
    return context_.refuse(psi_, [&] {
      return fmt::format("guard {} of argument {} not promoted: {}", context_.text(arguments_[i].guard),
                         i + 1, why());
    });
  }

  PsiContext& context_;
  InstId psi_;
  std::vector<Argument> arguments_;
  std::vector<Argument> before_;  // of a psi of predicates
  uint32_t promoted_ = 0;
};

}  // namespace

bool promote(PsiContext& context, InstId psi, size_t i, Guard wider) {
  return Promotion(context).promote(psi, i, wider);
}

}  // namespace psi::psi_transforms

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_promote(PassContext& context) {
  psi_transforms::OptionalPsiContext psi_context(context);
  if (!psi_context.has_psis()) return;
  psi_transforms::Promotion promotion(*psi_context);
  for (BlockId b : psi_context->blocks()) {
    for (InstId psi : psi_context->psis_in(b)) promotion.promote_where_it_pays(psi);
  }
}

}  // namespace psi
