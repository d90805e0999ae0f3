// psi-lower: replaces psis by selects.
//
//     p ? a = ..                      p ? a = ..
//     q ? b = ..               ==>    q ? b = ..
//     x = psi c, p?a, q?b             t = select p, a, c
//                                     x = select q, b, t
//
// For targets that have selects or conditional moves and guard nothing else: the last step of "Improvements
// to the Psi-SSA representation" (de Ferriere, 2007) for partial predication. A select reads only the arm
// that it takes, so guarded definitions stay guarded; a psi is undef where no guard is true, so the first
// guard is not read. A guard may be undef where one to its right is true; its select is undef then, and the
// selects to its right ignore it.
//
// As a chain, n arguments take n - 1 selects, one after the other; psi-permute first brings the arguments
// into the order of their definitions as far as possible, so that late ones come last. As a tree, they take a
// logarithmic number of steps, and additional predicates: does one of these guards hold? An undef guard does
// no harm there if another one is true.
//
//     x = psi c, p?a, q?b, r?d        t = select p, a, c;  u = select r, d, b;  s = or q, r
//                                     x = select s, u, t
//
// By decisions, the guards are decomposed into the conditions of the nested branches that they come from, and
// the selects are nested in the same way. Then the guards are dead.
//
//     q = and p, r                    t = select r, a, b
//     n = and p, !r            ==>    x = select p, t, c
//     x = psi !p?c, q?a, n?b
//
// Where all guards depend on one condition and it is undef, none of them is true, and the psi is undef as
// well. An argument without a guard must not depend on an undef condition, so the condition is frozen there.
//
// Selects and predicates of equal operands are shared, where the first one dominates the others. A psi of one
// argument is replaced by the argument.
//
// Requires SSA form; ensures it, without psis. Near-linear.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/psi_transforms/speculate.h"
#include "psi_transforms/decisions.h"
#include "psi_transforms/psi_context.h"
#include "psi_transforms/shared_selects.h"

namespace psi::psi_transforms {
namespace {

class PsiLowering {
 public:
  enum class Shape : uint8_t { Chain, Tree, Decisions };

  PsiLowering(PassContext& context, Shape shape)
      : function_(context.function),
        dominators_(context.analyses.get<Dominators>()),
        counters_(context.counters),
        remarks_(context.remarks),
        shape_(shape),
        value_of_(function_.num_regs()),
        selects_(function_, dominators_),
        decisions_(function_, context.analyses.get<Uses>()) {}

  void run() {
    for (BlockId b : dominators_.preorder()) lower_block(b);
    for (BlockId b : function_.layout()) {
      if (dominators_.is_reachable(b)) continue;
      selects_.forget();
      lower_block(b);
    }
    if (num_replaced_ > 0) read_replaced();
    report();
  }

 private:
  // The value where one of the guards is true, and the union of the guards, if needed.
  struct Choice {
    Operand guard;
    Operand value;
  };

  void lower_block(BlockId b) {
    std::span<const InstId> insts = function_.insts(b);
    for (position_ = 0; position_ < insts.size(); ++position_) {
      if (!function_.inst(insts[position_]).is_psi()) continue;
      selects_.begin(b, position_, insts[position_]);
      lower(insts[position_]);
    }
    if (!selects_.edits().empty()) selects_.edits().apply(function_, b);
  }

  void lower(InstId psi) {
    uint64_t made = selects_.num_selects(), shared = selects_.num_shared();
    psi_ = psi;
    load();
    if (shape_ == Shape::Tree) {
      merge_as_tree();
    } else if (shape_ == Shape::Chain || !join_by_decisions()) {
      merge_as_chain();
    }
    if (function_.inst(psi).is_psi()) replace(choices_[0].value);
    ++num_psis_;
    if (!remarks_) return;
    remarks_->done(function_, psi,
                   fmt::format("lowered to selects: {} made, {} shared", selects_.num_selects() - made,
                               selects_.num_shared() - shared));
  }

  // Arguments to the left of one that is always taken are ignored.
  void load() {
    choices_.clear();
    for (auto [guard, value] : psi_arguments(function_, psi_)) {
      if (guard == Operand::always()) choices_.clear();
      choices_.push_back({value_of(guard), value_of(value)});
    }
  }

  void merge_as_chain() {
    for (size_t i = 1; i < choices_.size(); ++i) {
      selects_.set_last(i + 1 == choices_.size());
      choices_[0].value = selects_.select(choices_[i].guard, choices_[i].value, choices_[0].value);
    }
  }

  // Merges neighbours repeatedly.
  void merge_as_tree() {
    for (size_t count = choices_.size(); count > 1; count = (count + 1) / 2) {
      selects_.set_last(count == 2);
      for (size_t to = 0; 2 * to < count; ++to) {
        Choice left = choices_[2 * to];
        if (2 * to + 1 < count) {
          const Choice& right = choices_[2 * to + 1];
          left.value = selects_.select(right.guard, right.value, left.value);
          if (to > 0) left.guard = selects_.either(left.guard, right.guard);
        }
        choices_[to] = left;
      }
    }
  }

  // False if the guards do not form one tree.
  bool join_by_decisions() {
    decisions_.clear();
    for (const Choice& choice : choices_) {
      if (!decisions_.add(choice.guard, choice.value)) return false;
    }
    std::span<const Decision> all = decisions_.all();
    bool is_chain =
        std::ranges::all_of(all, [](const Decision& d) { return std::popcount(d.conditions()) < 2; });
    if (all.empty() || is_chain || !tree_.build(all)) return false;
    // A few more selects than in a chain cost less than computing the guards.
    size_t chain = choices_.size() - 1;
    if (tree_.num_selects() > chain + std::min<size_t>(chain, 2)) return false;
    for (size_t n = tree_.nodes().size(); n-- > 0;) {
      DecisionTree::Node& node = tree_.nodes()[n];
      if (node.condition == DecisionTree::kNone) continue;
      Operand condition = Operand::reg(decisions_.conditions()[node.condition]);
      if (node.is_frozen) condition = selects_.frozen(condition);
      selects_.set_last(n == 0);
      node.value = selects_.select(condition, tree_.nodes()[node.yes].value, tree_.nodes()[node.no].value);
    }
    choices_[0].value = tree_.nodes()[0].value;
    ++num_by_decisions_;
    return true;
  }

  // A register needs no copy.
  void replace(Operand value) {
    if (value.is_reg()) {
      value_of_[function_.inst(psi_).results[0].index()] = value;
      selects_.edits().remove(position_);
      ++num_replaced_;
    } else {
      selects_.rewrite(Opcode::Mov, std::array{value});
      ++num_copies_;
    }
  }
  void read_replaced() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        for (Operand& operand : function_.operands(id)) operand = value_of(operand);
        Inst& inst = function_.inst(id);
        if (inst.guard) inst.guard = Guard(value_of(inst.guard.as_operand()));
      }
    }
  }

  Operand value_of(Operand operand) const {
    if (!operand.reads_reg() || operand.reg().index() >= value_of_.size()) return operand;
    Operand value = value_of_[operand.reg().index()];
    if (value.is_none()) return operand;
    return operand.is_negated() ? Operand::not_reg(value.reg()) : value;
  }

  void report() {
    auto add = [&](const char* name, uint64_t count) {
      if (count > 0) counters_.add(name, count);
    };
    add("psis lowered", num_psis_);
    add("by decisions", num_by_decisions_);
    selects_.report(counters_);
    add("psis replaced", num_replaced_);
    add("copies made", num_copies_);
  }

  Function& function_;
  const Dominators& dominators_;
  Counters& counters_;
  Remarks* remarks_;
  Shape shape_;
  std::vector<Operand> value_of_;  // by Reg, without those that are made here; none: itself
  SharedSelects selects_;
  Decisions decisions_;
  DecisionTree tree_;
  uint32_t position_ = 0;
  InstId psi_;
  std::vector<Choice> choices_;
  uint64_t num_psis_ = 0;
  uint64_t num_by_decisions_ = 0;
  uint64_t num_replaced_ = 0;
  uint64_t num_copies_ = 0;
};

// Late arguments come last.
void sort_arguments(PassContext& context) {
  OptionalPsiContext psi_context(context);
  if (!psi_context.has_psis()) return;
  for (BlockId b : psi_context->blocks()) {
    for (InstId psi : psi_context->psis_in(b)) sort(*psi_context, psi);
  }
  context.analyses.drop(Keeps::ControlFlow);
}

}  // namespace
}  // namespace psi::psi_transforms

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_lower(PassContext& context) {
  using Shape = psi_transforms::PsiLowering::Shape;
  std::string_view name = context.arguments.word("shape");
  Shape shape = name == "tree" ? Shape::Tree : name == "decisions" ? Shape::Decisions : Shape::Chain;
  if (shape != Shape::Tree) psi_transforms::sort_arguments(context);
  psi_transforms::PsiLowering(context, shape).run();
  context.analyses.drop(Keeps::ControlFlow);
  if (context.arguments.word("guards") == "keep") return;
  SpeculateOptions options;
  options.goal = SpeculateOptions::Goal::All;
  speculate(context.module, context.function, context.analyses, options, context.counters, context.remarks);
}

std::vector<PassOption> psi_lower_options() {
  return {
      PassOption::word("shape", {"chain", "tree", "decisions"},
                       "selects one after the other; as many predicates more and a tree; or nested like the "
                       "decisions that "
                       "the guards are computed from"),
      PassOption::word("guards", {"keep", "speculate"}, "remove the guards of what can be executed anyway")};
}

}  // namespace psi
