// Inserts a computation that some paths to a join have done on the other paths, so that the join need not
// repeat it.
//
//     @a: %x = mul %n, 3                        @a: %x = mul %n, 3
//         br @c                                     br @c
//     @b: br @c                          ==>    @b: %z = mul %m, 3
//     @c: %i = phi [@a: %n], [@b: %m]               br @c
//         %y = mul %i, 3                        @c: %y = phi [@a: %x], [@b: %z]
//
// After T. VanDrunen and A. Hosking, "Value-Based Partial Redundancy Elimination", CC 2004: expressions are
// moved up by translating their operands through phis. Instead of sets for all blocks, each computation below
// a join is looked up at the end of the join's predecessors, in the order of the blocks, so that one step
// enables the next; the table of expressions is searched for those whose block dominates the predecessor. A
// loop-invariant computation is redundant along the back edge: its insertion before the loop hoists it.
//
// A computation is moved only to where it is certain to be needed: from a block that is executed whenever the
// join is. So no execution is wasted, and with insert=one the code grows by a phi at most. Nothing is
// inserted at back edges, nor on critical edges unless they are split.
//
// Requires: SSA form. Ensures: the same form. Instructions under guards, and what may trap, stay where they
// are. Near-linear: a computation is looked up once for each predecessor of one join, and joins with many are
// skipped.
#include "psi/optimise/pre.h"

#include <algorithm>
#include <utility>

#include "cfg/edge_splits.h"
#include "cfg/replaced.h"
#include "optimise/insertions.h"
#include "optimise/value_numbering/gvn_values.h"
#include "optimise/value_numbering/value_keys.h"
#include "optimise/value_numbering/value_table.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"
#include "psi/predicate/guard_facts.h"

namespace psi {
namespace optimise {
namespace {

class PartialRedundancies {
 public:
  explicit PartialRedundancies(PassContext& context)
      : context_(context),
        function_(context.function),
        analyses_(context.analyses),
        cfg_(analyses_.get<Cfg>()),
        dominators_(analyses_.get<Dominators>()),
        inserts_any_(context.arguments.word("insert") == "any"),
        splits_(context.arguments.word("critical") == "split"),
        guards_(analyses_.get<GuardFacts>()),
        values_(function_, analyses_, guards_),
        keys_(function_),
        table_(function_.num_insts() / 2) {}

  bool run() {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        if (is_expression(id) && keys_.make(id, std::as_const(function_).operands(id))) add(id);
      }
    }
    for (BlockId b : analyses_.get<Order>().reverse_post_order()) {
      for (InstId id : function_.insts(b)) visit(id, b);
    }
    if (values_.substitution().empty()) return false;
    finish();
    return true;
  }

 private:
  // Expressions that phis and insertions may replace. Not predicates: facts about them, such as containment,
  // would be lost in a phi.
  bool is_expression(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (inst.guard || inst.num_results() != 1 || !inst.is_pure()) return false;
    if (inst.result_type() == Type::i1) return false;
    return !inst.is_phi() && !inst.is_psi() && !inst.is_copy();
  }

  void add(InstId id) { table_.add(keys_.words(), Operand::reg(function_.inst(id).results[0])); }

  // What holds the expression of keys_ at the end of a block.
  Operand available(BlockId b) {
    Operand value = table_.find(keys_.words(), [&](Operand found) { return values_.dominates(found, b); });
    return values_.everywhere(value);
  }

  void visit(InstId id, BlockId b) {
    if (!is_expression(id)) return;
    bool changed = false;
    for (Operand& operand : function_.operands(id)) {
      Operand by = values_.everywhere(operand);
      changed |= by != operand;
      operand = by;
    }
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    if (!keys_.make(id, operands)) return;
    if (changed) add(id);
    if (BlockId join = join_above(b, operands)) move_up(id, join);
  }

  // The next join above the block, if the block is executed whenever the join is, and the operands are
  // defined there.
  BlockId join_above(BlockId b, std::span<const Operand> operands) {
    constexpr size_t kMaxBlocks = 32;
    BlockId join = b;
    for (size_t steps = 0; cfg_.predecessors(join).size() < 2; ++steps) {
      if (join == function_.entry() || steps == kMaxBlocks) return {};
      for (Operand operand : operands) {
        if (operand.is_reg() && values_.definition(operand.reg()) &&
            values_.block_of(operand.reg()) == join) {
          return {};
        }
      }
      join = cfg_.predecessors(join)[0];
      if (!analyses_.get<PostDominators>().post_dominates(b, join)) return {};
    }
    constexpr size_t kMaxPredecessors = 32;
    if (cfg_.predecessors(join).size() > kMaxPredecessors) return {};
    for (Operand operand : operands) {
      if (!operand.is_reg() || values_.block_of(operand.reg()) != join) continue;
      InstId definition = values_.definition(operand.reg());
      if (definition && !function_.inst(definition).is_phi()) return {};
    }
    return join;
  }

  // Translates the operands to a predecessor.
  void translate(InstId id, BlockId join, BlockId predecessor) {
    operands_.clear();
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (operand.is_reg() && values_.definition(operand.reg()) && values_.block_of(operand.reg()) == join) {
        operand = values_.everywhere(
            value_from(phi_entries(function_, values_.definition(operand.reg())), predecessor));
      }
      operands_.push_back(operand);
    }
  }

  void move_up(InstId id, BlockId join) {
    Reg result = function_.inst(id).results[0];
    entries_.clear();
    missing_.clear();
    bool fits = true, is_there = false;
    cfg_.for_each_distinct_predecessor(join, [&](BlockId p) {
      if (!fits) return;
      translate(id, join, p);
      keys_.make(id, operands_);
      Operand value = available(p);
      add_phi_entry(entries_, p, value);
      is_there |= !value.is_none();
      if (!value.is_none()) return;
      missing_.push_back(p);
      fits = !dominators_.dominates(join, p) && (inserts_any_ || missing_.size() == 1) &&
             (has_room(p, join) || (splits_ && std::ranges::count(cfg_.successors(p), join) == 1));
    });
    if (!fits || !is_there) return;
    for (BlockId p : missing_) insert(id, join, p);
    Operand value = merge(id, join);
    if (value.is_none()) return;
    values_.replace(result, value);
    if (context_.remarks) context_.remarks->done(function_, id, "computed before on every path");
    ++replaced_;
  }

  // Does the block lead nowhere else?
  bool has_room(BlockId b, BlockId join) const {
    return std::ranges::all_of(cfg_.successors(b), [&](BlockId to) { return to == join; });
  }

  void insert(InstId id, BlockId join, BlockId p) {
    translate(id, join, p);
    Inst inst = function_.inst(id);
    InstId copy = function_.add_inst(inst, operands_);
    function_.copy_place(id, copy);
    Reg result = values_.add(p, copy, function_.type(inst.results[0]));
    // On an edge it is not known at the end of the block.
    if (has_room(p, join) && keys_.make(copy, operands_)) add(copy);
    for (MutablePhiEntry entry : mutable_phi_entries(entries_)) {
      if (entry.block() == p) entry.value = Operand::reg(result);
    }
    insertions_.push_back({p, join, copy});
  }

  // One value for all of the pairs: a phi if they differ. The instruction itself stands for what replaces it.
  Operand merge(InstId id, BlockId join) {
    Operand itself = Operand::reg(function_.inst(id).results[0]);
    Operand common;
    bool differs = false;
    for (PhiEntry entry : phi_entries(entries_)) {
      if (entry.value == itself || entry.value == common) continue;
      differs |= !common.is_none();
      common = entry.value;
    }
    bool is_above = !common.is_reg() || dominators_.strictly_dominates(values_.block_of(common.reg()), join);
    if (!differs && is_above) return common;
    Inst phi;
    phi.op = Opcode::Phi;
    phi.type = function_.type(itself);
    InstId added = function_.add_inst(phi, entries_);
    phis_.add_phi(join, added);
    return Operand::reg(values_.add(join, added, phi.type));
  }

  void finish() {
    // Phis first: those behind an edge that is split change with it.
    phis_.apply(function_);
    cfg::EdgeSplits splits(function_);
    Insertions ends;
    for (const Insertion& insertion : insertions_) {
      BlockId b = insertion.block;
      ends.add_at_end(has_room(b, insertion.join) ? b : splits.split(b, insertion.join), insertion.inst);
    }
    ends.apply(function_);
    if (splits.size() > 0) analyses_.drop(Keeps::Nothing);
    values_.substitution().apply(analyses_, context_.counters);
    cfg::remove_replaced(function_, values_.substitution());
    context_.counters.add("computations replaced", replaced_);
    if (!insertions_.empty()) context_.counters.add("computations inserted", insertions_.size());
    if (phis_.num_phis() > 0) context_.counters.add("phis added", phis_.num_phis());
    if (splits.size() > 0) context_.counters.add("edges split", splits.size());
  }

  // At the end of a block, or on the edge from it to the join.
  struct Insertion {
    BlockId block;
    BlockId join;
    InstId inst;
  };

  PassContext& context_;
  Function& function_;
  Analyses& analyses_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  bool inserts_any_;
  bool splits_;
  GuardFacts& guards_;
  GvnValues values_;
  ValueKeys keys_;
  ValueTable table_;
  std::vector<Operand> operands_;
  std::vector<Operand> entries_;
  std::vector<BlockId> missing_;
  Insertions phis_;
  std::vector<Insertion> insertions_;
  uint64_t replaced_ = 0;
};

}  // namespace
}  // namespace optimise

std::vector<PassOption> pre_options() {
  return {
      PassOption::word("insert", {"one", "any"}, "on how many edges to a join a computation may be inserted"),
      PassOption::word("critical", {"skip", "split"},
                       "critical edges that an insertion would have to split")};
}

void pre(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context.function, context.analyses, context.counters);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  optimise::PartialRedundancies(context).run();
}

}  // namespace psi
