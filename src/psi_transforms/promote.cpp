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

#include "psi_transforms/scene.h"

namespace psi::psi_transforms {
namespace {

class Promotion {
 public:
  explicit Promotion(Scene& scene) : scene_(scene) {}

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
    scene_.load(psi, arguments_);
    if (scene_.function().inst(psi).type == Type::i1) before_ = arguments_;
  }

  Operand guard_of_definition(Operand value) const {
    if (!value.is_reg()) return {};
    InstId id = scene_.uses().definition(value.reg());
    if (!id || scene_.function().inst(id).is_psi()) return {};
    Guard guard = scene_.function().inst(id).guard;
    return guard ? guard.as_operand() : Operand();
  }

  bool pays(size_t i, Operand wider) const {
    Operand own = arguments_[i].guard;
    if (!own.reads_reg()) return false;
    if (scene_.uses().uses(own.reg()).size() == 1) return true;
    return std::ranges::any_of(arguments_, [&](const Argument& argument) {
      return argument.guard.reads_reg() && argument.guard.reg() == wider.reg();
    });
  }

  bool promote(size_t i, Operand wider) {
    Term wide = scene_.term(wider);
    if (wider == arguments_[i].guard || !is_wider(i, wide)) return false;
    if (i > 0 && (!is_within_domain(i, wide) || !overrides_nothing(i, wide))) return false;
    if (!may_read(i, wider)) return false;
    if (scene_.listens()) {
      scene_.done(psi_, fmt::format("guard {} of argument {} promoted to {}",
                                    scene_.text(arguments_[i].guard), i + 1, scene_.text(wider)));
    }
    arguments_[i].guard = wider;
    arguments_[i].term = wide;
    ++promoted_;
    return true;
  }

  bool is_wider(size_t i, Term wide) {
    Term own = arguments_[i].term;
    return scene_.contains(wide, own) ||
           refuse(i, [&] { return "its own may be true elsewhere" + scene_.when_outside(own, wide); });
  }

  bool may_read(size_t i, Operand wider) {
    return (scene_.is_available(wider, psi_) &&
            scene_.is_defined(wider, psi_, std::span(arguments_).subspan(i + 1))) ||
           refuse(i, [&] { return scene_.text(wider) + " may be undefined where it would be read"; });
  }

  bool is_within_domain(size_t i, Term wide) {
    Term domain = scene_.domain(arguments_[i].value);
    return scene_.contains(domain, wide) || refuse(i, [&] {
             return fmt::format("{} may be undefined there{}", scene_.text(arguments_[i].value),
                                scene_.when_outside(wide, domain));
           });
  }

  // Equation 15.1.
  bool overrides_nothing(size_t i, Term wide) {
    Term increase = scene_.both(wide, !scene_.united(std::span(arguments_).subspan(i)));
    for (size_t k = 0; k < i; ++k) {
      Term earlier = arguments_[k].term;
      if (k >= kMaxNeighbours || !scene_.excludes(increase, earlier)) {
        return refuse(i, [&] {
          return fmt::format("argument {} may be taken there{}", k + 1, scene_.when_both(increase, earlier));
        });
      }
    }
    return true;
  }

  bool finish() {
    if (scene_.function().inst(psi_).type == Type::i1 && !scene_.keeps_term(psi_, before_, arguments_)) {
      return scene_.refuse(psi_, [] { return "not promoted: facts about the predicate would be lost"; });
    }
    scene_.store(psi_, arguments_);
    scene_.count("guards promoted", promoted_);
    return true;
  }

  template <class Why>
  bool refuse(size_t i, Why why) {
    return scene_.refuse(psi_, [&] {
      return fmt::format("guard {} of argument {} not promoted: {}", scene_.text(arguments_[i].guard), i + 1,
                         why());
    });
  }

  Scene& scene_;
  InstId psi_;
  std::vector<Argument> arguments_;
  std::vector<Argument> before_;  // of a psi of predicates
  uint32_t promoted_ = 0;
};

}  // namespace

bool promote(Scene& scene, InstId psi, size_t i, Guard wider) {
  return Promotion(scene).promote(psi, i, wider);
}

}  // namespace psi::psi_transforms

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_promote(PassContext& context) {
  psi_transforms::PassScene scene(context);
  if (!scene.has_psis()) return;
  psi_transforms::Promotion promotion(*scene);
  for (BlockId b : scene->blocks()) {
    for (InstId psi : scene->psis_in(b)) promotion.promote_where_it_pays(psi);
  }
}

}  // namespace psi
