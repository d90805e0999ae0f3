// Moves pure instructions and psis: to blocks above and below, as far as operands and uses allow, and up and
// down in their blocks; and permutes phis.
//
// A hoisted instruction is executed more often, so its guards must be defined there. A sunk instruction reads
// the same values: no operand can have been redefined in between.
#include <algorithm>

#include "analysis/common_ancestor.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "scramble/function_facts.h"
#include "support/scratch.h"

namespace psi::scramble {
namespace {

constexpr uint32_t kMaxBlocksUp = 4;
constexpr uint32_t kMaxUses = 16;
constexpr uint32_t kMaxSteps = 24;

class Motion {
 public:
  explicit Motion(ScrambleContext& context)
      : context_(context),
        function_(context.function),
        dominators_(context.analyses.get<Dominators>()),
        facts_(context),
        uses_(context.analyses.get<Uses>()),
        common_ancestor_(dominators_, scratch_),
        home_(context.function.num_insts()),
        top_(context.function.num_blocks()),
        bottom_(context.function.num_blocks()) {}

  void run() {
    std::span<const BlockId> blocks = context_.blocks();
    for (BlockId b : blocks) {
      for (InstId id : function_.insts(b)) home_[id.index()] = b;
    }
    // Operands before their readers, and the reverse.
    for (BlockId b : blocks) {
      for (InstId id : function_.insts(b)) {
        if (is_movable(id) && context_.dice.percent(20)) raise(id);
      }
    }
    for (size_t i = blocks.size(); i-- > 0;) {
      std::span<const InstId> insts = function_.insts(blocks[i]);
      for (size_t j = insts.size(); j-- > 0;) {
        if (is_movable(insts[j]) && home_[insts[j].index()] == blocks[i] && context_.dice.percent(20)) {
          sink(insts[j]);
        }
      }
    }
    for (BlockId b : blocks) rearrange(b);
  }

 private:
  bool is_movable(InstId id) {
    const Inst& inst = function_.inst(id);
    if (inst.is_psi()) return facts_.is_consistent(arguments_of(function_, id));
    // A freeze must not be duplicated.
    return inst.is_pure() && !inst.is_phi() && inst.op != Opcode::Freeze;
  }

  // --- To other blocks --------------------------------------------------------------------------------

  void raise(InstId id) {
    BlockId from = home_[id.index()], to = from;
    for (uint32_t i = 1 + context_.dice.below(kMaxBlocksUp); i > 0; --i) {
      BlockId above = dominators_.idom(to);
      if (!above || !can_be_at_end(id, above)) break;
      to = above;
    }
    if (to == from) return;
    bottom_[to.index()].push_back(id);
    home_[id.index()] = to;
    context_.counters.add("instructions moved to another block", 1);
  }

  bool can_be_at_end(InstId id, BlockId b) const {
    bool are_there = true;
    for_each_read(id, [&](Reg r) {
      InstId definition = facts_.definition(r);
      if (definition) are_there &= dominators_.dominates(home_[definition.index()], b);
    });
    return are_there && are_guards_defined(id, facts_.end(b));
  }

  void sink(InstId id) {
    BlockId from = home_[id.index()], to;
    uint32_t num_uses = 0;
    for (Reg result : function_.inst(id).results) {
      if (!result) continue;
      for (Use use : uses_.uses(result)) {
        BlockId reader = home_[use.inst.index()];
        if (function_.inst(use.inst).is_phi()) {
          // More facts about a predicate's phi are known if its arguments come from above.
          if (function_.type(result) == Type::i1) return;
          reader = incoming_block(function_, use.inst, use.operand);
        }
        if (++num_uses > kMaxUses || !reader || !dominators_.is_reachable(reader)) return;
        to = to ? common_ancestor_(to, reader) : reader;
      }
    }
    if (!to) return;
    for (uint32_t i = context_.dice.below(3); i > 0 && to != from; --i) to = dominators_.idom(to);
    if (to == from) return;
    top_[to.index()].push_back(id);
    home_[id.index()] = to;
    context_.counters.add("instructions moved to another block", 1);
  }

  // --- In a block -------------------------------------------------------------------------------------

  void rearrange(BlockId b) {
    list_.clear();
    std::span<const InstId> old = function_.insts(b);
    size_t num_phis = 0, num_terminators = function_.terminators(b).size();
    while (function_.inst(old[num_phis]).is_phi()) ++num_phis;
    list_.assign(old.begin(), old.begin() + static_cast<ptrdiff_t>(num_phis));
    shuffle_phis();
    list_.insert(list_.end(), top_[b.index()].rbegin(), top_[b.index()].rend());
    for (InstId id : old.subspan(num_phis, old.size() - num_phis - num_terminators)) {
      if (home_[id.index()] == b) list_.push_back(id);
    }
    list_.insert(list_.end(), bottom_[b.index()].begin(), bottom_[b.index()].end());
    end_ = list_.size();
    list_.insert(list_.end(), old.end() - static_cast<ptrdiff_t>(num_terminators), old.end());
    for (size_t i = num_phis; i < end_; ++i) {
      if (!is_movable(list_[i]) || !context_.dice.percent(50)) continue;
      bool moved = context_.dice.percent(50) ? rise(i, num_phis, b) : fall(i);
      if (moved) context_.counters.add("instructions moved", 1);
    }
    function_.set_insts(b, list_);
  }

  // Keeps the order of phis of predicates: later ones that read earlier ones have more facts.
  void shuffle_phis() {
    if (list_.size() < 2 || !context_.dice.percent(50)) return;
    auto is_predicate = [&](InstId id) { return function_.inst(id).type == Type::i1; };
    std::vector<InstId> predicates;
    std::ranges::copy_if(list_, std::back_inserter(predicates), is_predicate);
    context_.dice.shuffle(std::span(list_));
    auto next = predicates.begin();
    for (InstId& id : list_) {
      if (is_predicate(id)) id = *next++;
    }
    context_.counters.add("blocks with phis in another order", 1);
  }

  bool rise(size_t i, size_t first, BlockId b) {
    size_t start = i;
    for (uint32_t steps = 1 + context_.dice.below(kMaxSteps); steps > 0 && i > first; --steps, --i) {
      InstId above = list_[i - 1];
      if (reads_from(list_[i], above)) break;
      // Calls keep their order, so call counts stay valid.
      bool is_call = function_.inst(above).op == Opcode::Call;
      if (is_call && !are_guards_defined(list_[i], {b, facts_.place(above).calls})) break;
      std::swap(list_[i], list_[i - 1]);
    }
    return i != start;
  }

  bool fall(size_t i) {
    size_t start = i;
    for (uint32_t steps = 1 + context_.dice.below(kMaxSteps); steps > 0 && i + 1 < end_; --steps, ++i) {
      if (reads_from(list_[i + 1], list_[i])) break;
      std::swap(list_[i], list_[i + 1]);
    }
    return i != start;
  }

  bool reads_from(InstId reader, InstId writer) const {
    const std::array<Reg, 2>& results = function_.inst(writer).results;
    bool reads = false;
    for_each_read(reader, [&](Reg r) { reads |= r == results[0] || r == results[1]; });
    return reads;
  }

  template <class Visit>
  void for_each_read(InstId id, Visit visit) const {
    if (function_.inst(id).guard) visit(function_.inst(id).guard.reg());
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (operand.reads_reg()) visit(operand.reg());
    }
  }

  bool are_guards_defined(InstId id, Place place) const {
    const Inst& inst = function_.inst(id);
    if (inst.guard && !context_.defined.at(inst.guard.reg(), place)) return false;
    if (!inst.is_psi()) return true;
    return std::ranges::all_of(psi_arguments(function_, inst), [&](PsiArgument argument) {
      return !argument.guard.reads_reg() || context_.defined.at(argument.guard.reg(), place);
    });
  }

  ScrambleContext& context_;
  Function& function_;
  const Dominators& dominators_;
  FunctionFacts facts_;
  const Uses& uses_;
  Scratch scratch_;
  analysis::CommonAncestor common_ancestor_;
  std::vector<BlockId> home_;                // by InstId: its new block
  std::vector<std::vector<InstId>> top_;     // by BlockId: what comes from above, last first
  std::vector<std::vector<InstId>> bottom_;  // by BlockId: what comes from below
  std::vector<InstId> list_;                 // of the block that is being rearranged
  size_t end_ = 0;                           // where its terminators begin
};

}  // namespace

void move(ScrambleContext& context) { Motion(context).run(); }

}  // namespace psi::scramble
