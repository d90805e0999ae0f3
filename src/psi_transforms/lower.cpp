// psi-lower: selects in the place of psis.
//
//     p ? a = ..                      p ? a = ..
//     q ? b = ..               ==>    q ? b = ..
//     x = psi c, p?a, q?b             t = select p, a, c
//                                     x = select q, b, t
//
// For machines that have selects or conditional moves and guard nothing else: the end of what "Improvements
// to the Psi-SSA representation" (de Ferriere, 2007) does for partial predication. A select reads only the
// arm that it takes, so what is defined under a guard stays under it; what a psi gives where no guard is true
// does not matter, so the first guard is not read. A guard may be undef where one to its right is true; a
// select is undef then, and not taken by those to its right.
//
// As a chain, n arguments take n - 1 selects, one after the other; the arguments come into the order of their
// definitions first, as far as psi-permute may, so that those wait least that are there last. As a tree, they
// take a logarithmic number of steps, and as many predicates again: does one of these guards hold? A guard
// that is undef does not matter there, if another one is true.
//
//     x = psi c, p?a, q?b, r?d        t = select p, a, c;  u = select r, d, b;  s = or q, r
//                                     x = select s, u, t
//
// By decisions, the guards are taken apart into the conditions that they are computed from, as nested
// branches have decided them, and the selects are nested in the same way. Then nobody need compute the
// guards.
//
//     q = and p, r                    t = select r, a, b
//     n = and p, !r            ==>    x = select p, t, c
//     x = psi !p?c, q?a, n?b
//
// Where all guards depend on one condition and it is undef, none of them is true, and the psi is undef as
// well. What is taken where none is true must not depend on an undef condition, so that is frozen there.
//
// Selects and predicates of the same operands are made once, where the first one dominates the others. A psi
// of one argument is replaced by that.
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

#include "psi/speculate.h"
#include "psi_transforms/decisions.h"
#include "psi_transforms/scene.h"
#include "psi_transforms/shared_selects.h"

namespace psi::psis {
namespace {

class PsiLowering {
 public:
  enum class Shape : uint8_t { Chain, Tree, Decisions };

  PsiLowering(PassContext& context, Shape shape)
      : function_(context.function),
        dominators_(context.analyses.dominators()),
        counters_(context.counters),
        remarks_(context.remarks),
        shape_(shape),
        value_of_(function_.num_regs()),
        selects_(function_, dominators_),
        decisions_(function_, context.analyses.uses()) {}

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
  // The value where one of the guards is true; the guards united, unless nobody will ask.
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
      join_as_tree();
    } else if (shape_ == Shape::Chain || !join_by_decisions()) {
      join_as_chain();
    }
    if (function_.inst(psi).is_psi()) replace(choices_[0].value);
    ++num_psis_;
    if (!remarks_) return;
    remarks_->done(function_, psi,
                   fmt::format("lowered to selects: {} made, {} shared", selects_.num_selects() - made,
                               selects_.num_shared() - shared));
  }

  // Nothing to the left of an argument that is always taken matters.
  void load() {
    std::span<const Operand> pairs = std::as_const(function_).operands(psi_);
    choices_.clear();
    for (size_t i = 0; i < pairs.size(); i += 2) {
      if (pairs[i] == Operand::always()) choices_.clear();
      choices_.push_back({value_of(pairs[i]), value_of(pairs[i + 1])});
    }
  }

  void join_as_chain() {
    for (size_t i = 1; i < choices_.size(); ++i) {
      selects_.set_last(i + 1 == choices_.size());
      choices_[0].value = selects_.select(choices_[i].guard, choices_[i].value, choices_[0].value);
    }
  }

  // Neighbours become one, again and again.
  void join_as_tree() {
    for (size_t count = choices_.size(); count > 1; count = (count + 1) / 2) {
      selects_.set_last(count == 2);
      for (size_t i = 0; i < count; i += 2) {
        Choice left = choices_[i];
        if (i + 1 < count) {
          const Choice& right = choices_[i + 1];
          left.value = selects_.select(right.guard, right.value, left.value);
          if (i > 0) left.guard = selects_.either(left.guard, right.guard);
        }
        choices_[i / 2] = left;
      }
    }
  }

  // False if the guards are no conditions of one tree.
  bool join_by_decisions() {
    decisions_.clear();
    for (const Choice& choice : choices_) {
      if (!decisions_.add(choice.guard, choice.value)) return false;
    }
    std::span<const Decision> all = decisions_.all();
    bool is_chain =
        std::ranges::all_of(all, [](const Decision& d) { return std::popcount(d.conditions()) < 2; });
    if (all.empty() || is_chain || !tree_.build(all)) return false;
    // Some more selects than in a chain are less than what it takes to compute the guards.
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

  // What there is already needs no copy, unless it is not a register.
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

// Arguments that are there late come last.
void sort_arguments(PassContext& context) {
  PassScene scene(context);
  if (!scene.has_psis()) return;
  for (BlockId b : scene->blocks()) {
    for (InstId psi : scene->psis_in(b)) sort(*scene, psi);
  }
  context.analyses.drop(Keeps::ControlFlow);
}

}  // namespace
}  // namespace psi::psis

// --- As a pass ------------------------------------------------------------------------------------------

namespace psi {

void psi_lower(PassContext& context) {
  using Shape = psis::PsiLowering::Shape;
  std::string_view name = context.arguments["shape"];
  Shape shape = name == "tree" ? Shape::Tree : name == "decisions" ? Shape::Decisions : Shape::Chain;
  if (shape != Shape::Tree) psis::sort_arguments(context);
  psis::PsiLowering(context, shape).run();
  context.analyses.drop(Keeps::ControlFlow);
  if (context.arguments["guards"] == "keep") return;
  SpeculateOptions options;
  options.goal = SpeculateOptions::Goal::All;
  speculate(context.module, context.function, context.analyses, options, context.counters, context.remarks);
}

std::vector<PassOption> psi_lower_options() {
  return {
      {"shape",
       {"chain", "tree", "decisions"},
       "selects one after the other; as many predicates more and a tree; or nested like the decisions that "
       "the guards are computed from"},
      {"guards", {"keep", "speculate"}, "remove the guards of what can be executed anyway"}};
}

}  // namespace psi
