// Replaces instructions by simpler ones until no rule applies.
//
//     %a = add.i32 %x, 1           %c = shl.i32 %x, 3
//     %b = add.i32 %a, -1    ==>   %p = cmp.ult.i32 %c, 16
//     %c = mul.i32 %b, 8
//     %p = cmp.ule.i32 %c, 15
//
// The rules are a table (rules.h); a few steps are not (simplify_steps.h). Each instruction is visited in
// layout order, with its replaced operands, and again when they change. No rule makes the program longer:
// there are at most as many new instructions as replaced ones and those that only they read.
//
// Requires: SSA form. Ensures: SSA form, the same graph of blocks but for branches that turn out to be
// constant, and no instruction without an effect that nothing reads, except around loops. New instructions
// carry no guard. A register that a psi reads stays, as a copy, where its replacement is not known to be
// defined under the psi's guard.
//
// Linear in the number of instructions and rules that apply; these are bounded.
#include "psi/optimise/simplify.h"

#include "optimise/algebra/rules_match.h"
#include "optimise/algebra/simplify_steps.h"
#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"

namespace psi {
namespace {

using namespace optimise;

constexpr int kMaxSimplifyIterations = 4;

class Simplification {
 public:
  explicit Simplification(PassContext& context)
      : context_(context),
        function_(context.function),
        graph_(context.function, context.analyses),
        known_(context.function),
        matcher_(graph_, known_) {}

  // True if there may be more to do: folded branches drop arguments of phis; known guards decide guarded
  // instructions.
  bool run() {
    // Each instruction is replaced a few times at most; the limit is a safeguard.
    uint64_t limit = 64 + uint64_t{16} * function_.num_insts();
    for (InstId id = graph_.next(); id && num_applied_ < limit; id = graph_.next()) visit(id);
    return finish();
  }

 private:
  void visit(InstId id) {
    known_.update(id);
    if (const char* step = simplify_guard(graph_, id)) note(id, step);
    if (const char* step = apply_step(id)) {
      note(id, step);
    } else if (const Rule* rule = matcher_.simplify(id)) {
      note(id, rule->name);
    }
  }

  const char* apply_step(InstId id) {
    switch (function_.inst(id).format()) {
      case Format::Phi:
        return simplify_phi(graph_, id);
      case Format::Psi:
        return simplify_psi(graph_, id);
      case Format::Branch:
      case Format::Switch:
        return simplify_branch(graph_, id);
      default:
        if (const char* step = fold(graph_, id)) return step;
        if (const char* step = narrow(graph_, known_, id)) return step;
        return order_operands(graph_, id);
    }
  }

  void note(InstId id, std::string_view name) {
    ++num_applied_;
    if (context_.remarks) context_.remarks->done(function_, id, std::string(name));
  }

  bool finish() {
    bool has_guards = graph_.facts().any();
    Keeps keeps = graph_.finish(context_.analyses, context_.counters);
    if (num_applied_) context_.counters.add("rules applied", num_applied_);
    if (graph_.num_removed()) context_.counters.add("instructions removed", graph_.num_removed());
    return keeps == Keeps::Nothing || (keeps != Keeps::All && has_guards);
  }

  PassContext& context_;
  Function& function_;
  SimplifyGraph graph_;
  KnownBits known_;
  RuleMatcher matcher_;
  uint64_t num_applied_ = 0;
};

}  // namespace

void simplify(PassContext& context) {
  Function& function = context.function;
  if (context.analyses.get<Order>().num_reachable() < function.layout().size()) {
    dce_unreachable(function, context.analyses, context.counters);
    context.analyses.drop(Keeps::Nothing);
  }
  for (int iteration = 0; iteration < kMaxSimplifyIterations && Simplification(context).run(); ++iteration) {
  }
}

}  // namespace psi
