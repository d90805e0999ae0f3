// psi-permute: brings the arguments of psis into the order of their definitions.
//
//     !p ? a3 = ..                            !p ? a3 = ..
//     p ? a2 = ..                     ==>     p ? a2 = ..
//     x2 = psi p?a2, !p?a3                    x2 = psi !p?a3, p?a2
//
// The SSA book, section 15.3 and figure 15.7: neighbours with disjoint guards may be exchanged. The left
// guard is then read first, so it must be defined where the right one is true; and the former first argument
// must be defined wherever it is taken.
//
// Requires SSA form; ensures it. Insertion sort: from left to right each register moves as far to the left as
// its definition and its neighbours allow. Literals stay, and nothing passes them. A second run changes
// nothing, unless an argument reached the limit of moves. Linear, with that limit.
#include <fmt/format.h>

#include <algorithm>

#include "psi_transforms/psi_context.h"

namespace psi::psi_transforms {
namespace {

// The most positions that an argument moves.
constexpr size_t kMaxMoves = 64;

class Permutation {
 public:
  explicit Permutation(PsiContext& context) : context_(context) {}

  bool exchange(InstId psi, size_t i) {
    begin(psi);
    return may_exchange(i) && exchange(i) && finish();
  }

  uint32_t sort(InstId psi) {
    begin(psi);
    for (size_t i = 1; i < arguments_.size(); ++i) {
      size_t end = i - std::min(i, kMaxMoves);
      for (size_t k = i; k > end && is_out_of_order(k - 1) && may_exchange(k - 1); --k) exchange(k - 1);
    }
    return finish() ? moves_ : 0;
  }

 private:
  void begin(InstId psi) {
    psi_ = psi;
    moves_ = 0;
    context_.load(psi, arguments_);
    if (context_.function().inst(psi).type == Type::i1) before_ = arguments_;
  }

  bool is_out_of_order(size_t i) const {
    Operand left = arguments_[i].value, right = arguments_[i + 1].value;
    return left.is_reg() && right.is_reg() && context_.is_above(right.reg(), left.reg());
  }

  bool may_exchange(size_t i) {
    const Argument &left = arguments_[i], &right = arguments_[i + 1];
    if (!context_.excludes(left.term, right.term)) {
      return refuse(i, [&] {
        return fmt::format("guards {} and {} may be true together{}", context_.text(left.guard),
                           context_.text(right.guard), context_.when_both(left.term, right.term));
      });
    }
    if (!context_.is_defined(left.guard, psi_, std::span(arguments_).subspan(i + 1))) {
      return refuse(i, [&] {
        return fmt::format("{} may be undefined where {} is true", context_.text(left.guard),
                           context_.text(right.guard));
      });
    }
    Term domain = context_.domain(left.value);
    if (i > 0 || context_.contains(domain, left.term)) return true;
    return refuse(i, [&] {
      return fmt::format("{} may be undefined where it is taken{}", context_.text(left.value),
                         context_.when_outside(left.term, domain));
    });
  }

  bool exchange(size_t i) {
    std::swap(arguments_[i], arguments_[i + 1]);
    ++moves_;
    return true;
  }

  bool finish() {
    if (moves_ == 0) return false;
    if (context_.function().inst(psi_).type == Type::i1 && !context_.keeps_term(psi_, before_, arguments_)) {
      return context_.refuse(psi_, [] { return "not permuted: facts about the predicate would be lost"; });
    }
    context_.store(psi_, arguments_);
    context_.count("arguments permuted", moves_);
    if (context_.listens()) context_.done(psi_, fmt::format("arguments permuted, in {} exchanges", moves_));
    return true;
  }

  template <class Why>
  bool refuse(size_t i, Why why) {
    return context_.refuse(
        psi_, [&] { return fmt::format("arguments {} and {} not exchanged: {}", i + 1, i + 2, why()); });
  }

  PsiContext& context_;
  InstId psi_;
  std::vector<Argument> arguments_;
  std::vector<Argument> before_;  // of a psi of predicates
  uint32_t moves_ = 0;
};

}  // namespace

bool permute(PsiContext& context, InstId psi, size_t i) { return Permutation(context).exchange(psi, i); }
uint32_t sort(PsiContext& context, InstId psi) { return Permutation(context).sort(psi); }

}  // namespace psi::psi_transforms

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_permute(PassContext& context) {
  psi_transforms::OptionalPsiContext psi_context(context);
  if (!psi_context.has_psis()) return;
  psi_transforms::Permutation permutation(*psi_context);
  for (BlockId b : psi_context->blocks()) {
    for (InstId psi : psi_context->psis_in(b)) permutation.sort(psi);
  }
}

}  // namespace psi
