// Computes on the other ways to a join what some of them have computed, so that the join need not do it
// again.
//
//     @a: %x = mul %n, 3                        @a: %x = mul %n, 3
//         br @c                                     br @c
//     @b: br @c                          ==>    @b: %z = mul %m, 3
//     @c: %i = phi [@a: %n], [@b: %m]               br @c
//         %y = mul %i, 3                        @c: %y = phi [@a: %x], [@b: %z]
//
// After T. VanDrunen and A. Hosking, "Value-Based Partial Redundancy Elimination", CC 2004: expressions are
// moved up by translating their operands through phis. Instead of sets for all blocks, each computation below
// a join is looked up at the end of the join's predecessors, in the order of the blocks, so that what was
// made by one step serves the next; the table of expressions is asked for those whose block dominates the
// predecessor. A computation in a loop of what does not change there is redundant by way of the back edge:
// its insertion in front of the loop moves it out.
//
// A computation is moved only to where it is certain to be needed: from a block that is executed whenever the
// join is. So nothing is executed in vain, and with insert=one the code grows by a phi at most. Nothing is
// inserted at back edges. On edges from a block with several targets to one with several sources there is no
// place, unless they are split.
//
// Requires: SSA form. Ensures: the same form. Instructions under guards, and what may trap, stay where they
// are. Near-linear: a computation is looked up once for each predecessor of one join, and those with many
// are left out.
#include "psi/pre.h"

#include <algorithm>
#include <utility>

#include "psi/guard_facts.h"
#include "psi/transform.h"
#include "transform/edge_splits.h"
#include "transform/gvn_values.h"
#include "transform/insertions.h"
#include "transform/replaced.h"
#include "transform/value_keys.h"
#include "transform/value_table.h"

namespace psi {
namespace transform {
namespace {

class PartialRedundancies {
 public:
  explicit PartialRedundancies(PassContext& context)
      : context_(context),
        function_(context.function),
        analyses_(context.analyses),
        cfg_(analyses_.cfg()),
        dominators_(analyses_.dominators()),
        inserts_any_(context.arguments["insert"] == "any"),
        splits_(context.arguments["critical"] == "split"),
        guards_(function_, analyses_),
        values_(function_, analyses_, guards_),
        keys_(function_),
        table_(function_.num_insts() / 2) {}

  bool run() {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        if (is_expression(id) && keys_.make(id, std::as_const(function_).operands(id))) add(id);
      }
    }
    for (BlockId b : analyses_.order().reverse_post_order()) {
      for (InstId id : function_.insts(b)) visit(id, b);
    }
    if (values_.substitution().empty()) return false;
    finish();
    return true;
  }

 private:
  // What phis and insertions may replace. Predicates stay as they are: what is known of them, such as that
  // one is never true, or true only where another is, would be lost in a phi.
  bool is_expression(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (inst.guard || inst.num_results() != 1 || info(inst.op).effect != Effect::Pure) return false;
    if (inst.result_type() == Type::i1) return false;
    return inst.op != Opcode::Phi && inst.op != Opcode::Psi && inst.op != Opcode::Mov;
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

  // The next join from the block up, if the block is executed whenever it is, and the operands are known
  // there.
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
      if (!analyses_.post_dominators().post_dominates(b, join)) return {};
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

  // What the operands are on the way from a predecessor.
  void translate(InstId id, BlockId join, BlockId predecessor) {
    operands_.clear();
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (operand.is_reg() && values_.definition(operand.reg()) && values_.block_of(operand.reg()) == join) {
        std::span<const Operand> pairs = std::as_const(function_).operands(values_.definition(operand.reg()));
        for (size_t i = 0; i < pairs.size(); i += 2) {
          if (pairs[i].block() == predecessor) operand = values_.everywhere(pairs[i + 1]);
        }
      }
      operands_.push_back(operand);
    }
  }

  void move_up(InstId id, BlockId join) {
    Reg result = function_.inst(id).results[0];
    pairs_.clear();
    missing_.clear();
    bool fits = true, is_there = false;
    cfg_.for_each_distinct_predecessor(join, [&](BlockId p) {
      if (!fits) return;
      translate(id, join, p);
      keys_.make(id, operands_);
      Operand value = available(p);
      pairs_.insert(pairs_.end(), {Operand::block(p), value});
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
    if (context_.remarks) context_.remarks->done(function_, id, "computed before on every way");
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
    function_.set_line(copy, function_.line(id));
    Reg result = values_.add(p, copy, function_.type(inst.results[0]));
    // On an edge it is not known at the end of the block.
    if (has_room(p, join) && keys_.make(copy, operands_)) add(copy);
    for (size_t i = 0; i < pairs_.size(); i += 2) {
      if (pairs_[i].block() == p) pairs_[i + 1] = Operand::reg(result);
    }
    insertions_.push_back({p, join, copy});
  }

  // One value for all of the pairs: a phi if they differ. The instruction itself stands for what replaces it.
  Operand merge(InstId id, BlockId join) {
    Operand itself = Operand::reg(function_.inst(id).results[0]);
    Operand common;
    bool differs = false;
    for (size_t i = 1; i < pairs_.size(); i += 2) {
      if (pairs_[i] == itself || pairs_[i] == common) continue;
      differs |= !common.is_none();
      common = pairs_[i];
    }
    bool is_above = !common.is_reg() || dominators_.strictly_dominates(values_.block_of(common.reg()), join);
    if (!differs && is_above) return common;
    Inst phi;
    phi.op = Opcode::Phi;
    phi.type = function_.type(itself);
    InstId added = function_.add_inst(phi, pairs_);
    phis_.add_phi(join, added);
    return Operand::reg(values_.add(join, added, phi.type));
  }

  void finish() {
    // Phis first: those behind an edge that is split change with it.
    phis_.apply(function_);
    EdgeSplits splits(function_);
    Insertions ends;
    for (const Insertion& insertion : insertions_) {
      BlockId b = insertion.block;
      ends.add_at_end(has_room(b, insertion.join) ? b : splits.split(b, insertion.join), insertion.inst);
    }
    ends.apply(function_);
    if (splits.size() > 0) analyses_.drop(Keeps::Nothing);
    values_.substitution().apply(analyses_, context_.counters);
    remove_replaced(function_, values_.substitution());
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
  GuardFacts guards_;
  GvnValues values_;
  ValueKeys keys_;
  ValueTable table_;
  std::vector<Operand> operands_;
  std::vector<Operand> pairs_;
  std::vector<BlockId> missing_;
  Insertions phis_;
  std::vector<Insertion> insertions_;
  uint64_t replaced_ = 0;
};

}  // namespace
}  // namespace transform

std::vector<PassOption> pre_options() {
  return {{"insert", {"one", "any"}, "on how many ways to a join a computation may be inserted"},
          {"critical", {"skip", "split"}, "edges that would have to be split for it"}};
}

void pre(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context.function, context.analyses, context.counters);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  transform::PartialRedundancies(context).run();
}

}  // namespace psi
