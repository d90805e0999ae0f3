// reverse-if-convert: turns guards into branches.
//
//     p, q = cmpp.un.uc.lt a, b               p = cmp.lt a, b;  q = not p;  br p, then, else
//     p ? x = add a, 1                 then:  x = add a, 1;  store x, s;  br join
//     q ? x = sub a, 1          ==>    else:  x = sub a, 1;  br join
//     p ? store x, s                   join:  ret x
//     ret x
//
// After Warter, Mahlke, Hwu and Rau, "Reverse if-conversion", PLDI 1993, who convert scheduled code and
// duplicate instructions mixed with guarded ones. Here instructions move together instead, as far as possible
// (BranchTree), and nothing is duplicated.
//
// Instructions under one guard form one block; under complementary guards the two arms of a branch; under a
// guard contained in another, a branch within the other's arm (Terms). A side exit becomes a branch that
// leaves. Branching on an undef predicate is undefined behaviour, as is reading an undef guard; a branch
// reads a predicate only where the instruction that opened it did.
//
// Requires plain form; ensures it, without guards, and without cmpps unless they are kept. Unreachable blocks
// are removed. A second run changes nothing. Linear, with limits: an instruction passes at most 32 others,
// and branches nest at most 24 deep.
#include "psi/predication/reverse_if_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "predication/reverse_if_convert/branch_tree.h"
#include "predication/reverse_if_convert/emit_branches.h"
#include "predication/reverse_if_convert/lower_cmpp.h"
#include "psi/cfg/unreachable.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using predication::BranchTree;

class ReverseIfConversion {
 public:
  ReverseIfConversion(const Module& module, Function& function, const ReverseIfConvertOptions& options,
                      Remarks* remarks)
      : module_(module),
        function_(function),
        options_(options),
        remarks_(remarks),
        tree_(function),
        emitter_(function, options.kept) {}

  void run(Counters& counters) {
    std::vector<BlockId> blocks(function_.layout().begin(), function_.layout().end());
    for (BlockId b : blocks) {
      if (options_.lower_cmpp) lower_cmpps(b);
      if (has_guards(b)) {
        branch(b);
      } else {
        layout_.push_back(b);
      }
    }
    if (!dropped_.empty()) set_apart_dropped();
    function_.set_layout(std::move(layout_));
    report(counters);
  }

  // Some blocks may have become unreachable.
  bool has_dropped() const { return !dropped_.empty(); }

 private:
  bool has_guards(BlockId b) const {
    return std::ranges::any_of(function_.insts(b), [&](InstId id) {
      const Inst& inst = function_.inst(id);
      return inst.guard && !predication::keeps_guard(inst, options_.kept);
    });
  }

  void lower_cmpps(BlockId b) {
    auto is_cmpp = [&](InstId id) { return function_.inst(id).op == Opcode::Cmpp; };
    if (std::ranges::none_of(function_.insts(b), is_cmpp)) return;
    insts_.clear();
    for (InstId id : function_.insts(b)) {
      if (is_cmpp(id)) {
        predication::lower_cmpp(function_, id, insts_);
        ++lowered_;
      } else {
        insts_.push_back(id);
      }
    }
    function_.set_insts(b, insts_);
  }

  void branch(BlockId b) {
    GuardFacts facts(function_, b);
    tree_.begin_block(facts);
    has_branch_.clear();
    Term last = Term::always();
    for (InstId id : function_.insts(b)) {
      Guard guard = function_.inst(id).guard;
      bool is_kept = predication::keeps_guard(function_.inst(id), options_.kept);
      Term term = is_kept ? Term::always() : facts.guard(id);
      BranchTree::Outcome outcome = tree_.place(id, term);
      guards_ += guard && !is_kept;
      if (outcome == BranchTree::Outcome::Dropped) dropped_.push_back(id);
      runs_merged_ += guard && term != last && outcome != BranchTree::Outcome::Opened;
      moved_ += outcome == BranchTree::Outcome::Moved;
      if (remarks_) remark(id, term, outcome);
      last = term;
    }
    emitter_.emit(tree_, b, layout_);
  }

  // Dropped instructions go to an unreachable block: its removal handles registers that have no other
  // definition.
  void set_apart_dropped() {
    BlockId b = function_.add_block();
    for (InstId id : dropped_) {
      if (function_.inst(id).is_terminator()) continue;
      function_.inst(id).guard = {};
      function_.append(b, id);
    }
    function_.append(b, function_.add_inst(Inst(), {}));
    layout_.push_back(b);
  }

  void remark(InstId id, Term term, BranchTree::Outcome outcome) {
    if (outcome == BranchTree::Outcome::Appended) return;
    Guard guard = function_.inst(id).guard;
    std::string name = guard ? print(module_, function_, guard.as_operand()) : "no guard";
    if (outcome == BranchTree::Outcome::Moved) {
      return remarks_->done(function_, id, fmt::format("moved up to the other instructions under {}", name));
    }
    if (outcome == BranchTree::Outcome::Dropped) {
      return remarks_->done(function_, id, fmt::format("removed: never executed under {}", name));
    }
    if (has_branch_.size() <= term.node()) has_branch_.resize(term.node() + 1);
    if (has_branch_[term.node()]) {
      remarks_->refused(function_, id,
                        fmt::format("another branch for {}: what stands in between, "
                                    "or how far it is, keeps this from the one above",
                                    name));
    } else {
      remarks_->done(function_, id, fmt::format("a branch in the place of {}", name));
    }
    has_branch_[term.node()] = true;
  }

  void report(Counters& counters) const {
    auto add = [&](const char* name, uint64_t count) {
      if (count > 0) counters.add(name, count);
    };
    add("guards removed", guards_);
    add("branches added", emitter_.num_branches());
    add("blocks added", emitter_.num_blocks());
    add("runs merged", runs_merged_);
    add("instructions moved", moved_);
    add("instructions dropped", dropped_.size());
    add("cmpps lowered", lowered_);
  }

  const Module& module_;
  Function& function_;
  const ReverseIfConvertOptions& options_;
  Remarks* remarks_;
  BranchTree tree_;
  predication::BranchEmitter emitter_;
  std::vector<BlockId> layout_;
  std::vector<InstId> insts_;
  std::vector<InstId> dropped_;
  std::vector<bool> has_branch_;  // by version, for remarks
  uint64_t guards_ = 0;
  uint64_t runs_merged_ = 0;
  uint64_t moved_ = 0;
  uint64_t lowered_ = 0;
};

}  // namespace

void reverse_if_convert(const Module& module, Function& function, Analyses& analyses,
                        const ReverseIfConvertOptions& options, Counters& counters, Remarks* remarks) {
  ReverseIfConversion conversion(module, function, options, remarks);
  conversion.run(counters);
  analyses.drop(Keeps::Nothing);
  if (!conversion.has_dropped()) return;
  dce_unreachable(function, analyses, counters);
  analyses.drop(Keeps::Nothing);
}

void reverse_if_convert(PassContext& context) {
  ReverseIfConvertOptions options;
  options.lower_cmpp = context.arguments.word("cmpp") == "lower";
  reverse_if_convert(context.module, context.function, context.analyses, options, context.counters,
                     context.remarks);
}

std::vector<PassOption> reverse_if_convert_options() {
  return {PassOption::word("cmpp", {"lower", "keep"},
                           "compute predicates by compares and logic instead of cmpps")};
}

}  // namespace psi
