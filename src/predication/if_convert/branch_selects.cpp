// branch-selects: selects of innermost loops that a processor predicts become branches.
//
//     @l: %best = phi.i32 [@e: 0], [@l: %next]     @l: %best = phi.i32 [@e: 0], [@l: %best], [@t: %v], ...
//         ...                                          ...
//         %c = cmp.gt.i32 %v, %best                    %c = cmp.gt.i32 %v, %best
//         %next = select.i32 %c, %v, %best   ==>       br %c, @t, @m, counts 1 999
//         br %more, @l, @x                         @t: br %more, @l, @x
//                                                  @m: br %more, @l, @x
//
// What reads a select waits for its condition; what follows a branch that is predicted does not. So a select
// costs its latency in each iteration if a later one decides by its result, and a branch in its place costs
// its mispredictions. Where no iteration waits for another, a branch may still pay, because what only one
// side needs is computed on that side alone: the instructions that this saves are weighed against the slots
// that mispredictions and jumps lose. Both prices are the target's. Only selects with a measured
// misprediction rate are looked at.
//
// Loads from an address that the branch chooses are done on both sides, and a short block behind them that
// ends in another branch, as at the end of a loop, is copied for each, which saves a jump. if-convert turns
// a branch back into selects where that is cheaper.
//
// Requires SSA form; ensures it. Each iteration of the pass makes at most one branch in a block, the last
// one first, because that may leave another select on one of its sides; there is a limit to iterations. Each
// is linear, but that in a loop, of which the size is bounded, the chains of all phis are followed.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cfg/merge_blocks.h"
#include "predication/if_convert/block_copies.h"
#include "predication/if_convert/closed_blocks.h"
#include "predication/if_convert/select_diamonds.h"
#include "predication/if_convert/sinking.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"
#include "psi/predication/if_convert.h"

namespace psi {
namespace {

using namespace predication;

constexpr size_t kMaxLoop = 1000;    // instructions
constexpr size_t kMaxNeeded = 16;    // that are looked at for one value
constexpr size_t kMaxCopied = 4;     // instructions of a short block, its branch among them
constexpr double kOftenTaken = 0.1;  // the side that is taken less often is worth a copy then
constexpr uint32_t kMaxIterations = 8;

// Instructions and registers that were met, for one question after the other.
class SelectMarks {
 public:
  explicit SelectMarks(size_t size) : marks_(size) {}
  void clear() { ++now_; }
  // Was it not marked yet?
  bool set(uint32_t index) { return std::exchange(marks_[index], now_) != now_; }
  bool has(uint32_t index) const { return marks_[index] == now_; }

 private:
  std::vector<uint32_t> marks_;
  uint32_t now_ = 1;
};

// Which selects of a function are to become branches.
class SelectChoice {
 public:
  explicit SelectChoice(PassContext& context)
      : function_(context.function),
        remarks_(context.remarks),
        target_(context.target()),
        loops_(context.analyses.get<Loops>()),
        uses_(context.analyses.get<Uses>()),
        later_(function_.num_insts()),
        before_(function_.num_insts()),
        decided_(function_.num_regs()) {
    Inst select;
    select.op = Opcode::Select;
    select.type = Type::i64;
    select_latency_ = target_.latency(select);
  }

  std::vector<InstId> run() {
    for (uint32_t i = 0; i < loops_.num_loops(); ++i) {
      if (loops_.children(LoopId(i)).empty()) choose_in(LoopId(i));
    }
    return std::move(chosen_);
  }

 private:
  void choose_in(LoopId loop) {
    candidates_.clear();
    size_t size = 0;
    for (BlockId b : loops_.blocks(loop)) {
      size += function_.insts(b).size();
      for (InstId id : function_.insts(b)) {
        if (is_candidate(id)) candidates_.push_back(id);
      }
    }
    if (candidates_.empty()) return;
    if (size > kMaxLoop) return refuse(candidates_, "its loop is too large");
    decided_.clear();
    find_carried(loop);
    for (InstId id : candidates_) {
      // Others go with one that has the same condition.
      if (!decided_.has(condition(id).reg().index()) && is_better_branch(id)) chosen_.push_back(id);
    }
  }

  bool is_candidate(InstId id) const {
    const Inst& inst = function_.inst(id);
    if (inst.op != Opcode::Select || inst.type == Type::i1 || inst.guard) return false;
    return function_.misprediction_rate(id) && function_.edge_counts(id).size() == 2 &&
           condition(id).is_reg();
  }

  Operand condition(InstId select) const { return std::as_const(function_).operands(select)[0]; }
  double rate(InstId select) const { return *function_.misprediction_rate(select) / 100.0; }
  double lost(InstId select) const { return target_.misprediction * rate(select); }
  // How often the condition is true.
  double taken(InstId select) const {
    std::span<const uint64_t> counts = std::as_const(function_).edge_counts(select);
    double all = static_cast<double>(counts[0]) + static_cast<double>(counts[1]);
    return all > 0 ? static_cast<double>(counts[0]) / all : 0.5;
  }

  // --- Chains from iteration to iteration -----------------------------------------------------------
  // Moves those to chosen_ whose result decides in a later iteration what they choose.
  void find_carried(LoopId loop) {
    if (!target_.out_of_order) return;
    BlockId header = loops_.header(loop);
    for (InstId phi : function_.insts(header)) {
      if (!function_.inst(phi).is_phi()) break;
      mark_later(phi, loop);
      mark_before(phi, loop);
      std::erase_if(candidates_, [&](InstId id) {
        InstId decides = uses_.definition(condition(id).reg());
        bool is_carried = before_.has(id.index()) && decides && later_.has(decides.index());
        if (!is_carried || lost(id) > select_latency_) return false;
        note(id, fmt::format("a later iteration branches on it"));
        chosen_.push_back(id);
        decided_.set(condition(id).reg().index());
        return true;
      });
    }
  }

  bool is_next(InstId id, LoopId loop) const {
    return function_.inst(id).is_phi() && uses_.block(id) == loops_.header(loop);
  }

  // All of the loop that is computed from the phi in the same iteration.
  void mark_later(InstId phi, LoopId loop) {
    later_.clear();
    work_ = {phi};
    later_.set(phi.index());
    while (!work_.empty()) {
      InstId id = work_.back();
      work_.pop_back();
      for (Reg r : function_.inst(id).results) {
        if (!r) continue;
        for (Use use : uses_.uses(r)) {
          BlockId b = uses_.block(use.inst);
          if (!b || !loops_.contains(loop, b) || is_next(use.inst, loop)) continue;
          if (later_.set(use.inst.index())) work_.push_back(use.inst);
        }
      }
    }
  }

  // All of the loop that the phi's value in the next iteration is computed from.
  void mark_before(InstId phi, LoopId loop) {
    before_.clear();
    work_.clear();
    for (auto [from, value] : phi_entries(function_, phi)) {
      if (loops_.contains(loop, from)) add_definition(value, loop);
    }
    while (!work_.empty()) {
      InstId id = work_.back();
      work_.pop_back();
      if (is_next(id, loop)) continue;
      for (Operand operand : std::as_const(function_).operands(id)) add_definition(operand, loop);
      add_definition(function_.inst(id).guard.as_operand(), loop);
    }
  }

  void add_definition(Operand operand, LoopId loop) {
    if (!operand.reads_reg()) return;
    InstId id = uses_.definition(operand.reg());
    if (!id || !uses_.block(id) || !loops_.contains(loop, uses_.block(id))) return;
    if (before_.set(id.index())) work_.push_back(id);
  }

  // --- What a side alone needs ----------------------------------------------------------------------
  bool is_better_branch(InstId select) {
    std::span<const Operand> operands = std::as_const(function_).operands(select);
    double probability = taken(select);
    double saved = (1 - probability) * needed_for(operands[1], uses_.block(select)) +
                   probability * needed_for(operands[2], uses_.block(select));
    // The rarer side takes two jumps.
    double slots =
        target_.issue_width * (lost(select) + target_.branch_cost * std::min(probability, 1 - probability));
    if (saved > slots) {
      note(select, fmt::format("it saves {:.2f} instructions and costs {:.2f} issue slots", saved, slots));
      return true;
    }
    refuse(
        {&select, 1},
        fmt::format("mispredicted {} % of the time; a branch would save {:.2f} instructions and cost {:.2f} "
                    "issue slots",
                    *function_.misprediction_rate(select), saved, slots));
    return false;
  }

  // Targets compute it together with what reads it.
  static bool is_free(const Inst& inst) {
    return inst.format() == Format::Convert || inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex ||
           inst.op == Opcode::Freeze || inst.op == Opcode::Mov;
  }

  // Instructions of the block that are executed for this value alone.
  double needed_for(Operand value, BlockId b) {
    std::vector<Operand> work = {value};
    double found = 0;
    for (size_t i = 0; i < work.size() && i < kMaxNeeded; ++i) {
      InstId id = work[i].reads_reg() ? uses_.definition(work[i].reg()) : InstId();
      if (!id || uses_.block(id) != b || uses_.uses(work[i].reg()).size() != 1) continue;
      if (!can_sink(function_.inst(id))) continue;
      found += !is_free(function_.inst(id));
      std::span<const Operand> operands = std::as_const(function_).operands(id);
      work.insert(work.end(), operands.begin(), operands.end());
    }
    return found;
  }

  void note(InstId id, std::string_view reason) {
    if (!remarks_) return;
    remarks_->done(function_, id,
                   fmt::format("becomes a branch: mispredicted {} % of the time, and {}",
                               *function_.misprediction_rate(id), reason));
  }
  void refuse(std::span<const InstId> selects, std::string_view reason) {
    if (!remarks_) return;
    for (InstId id : selects) remarks_->refused(function_, id, fmt::format("stays a select: {}", reason));
  }

  Function& function_;
  Remarks* remarks_;
  const Target& target_;
  const Loops& loops_;
  const Uses& uses_;
  uint32_t select_latency_ = 0;
  std::vector<InstId> candidates_;  // of the loop at hand
  std::vector<InstId> chosen_;
  SelectMarks later_, before_;  // instructions
  SelectMarks decided_;         // conditions, of selects that were chosen
  std::vector<InstId> work_;
};

class BranchSelects {
 public:
  explicit BranchSelects(PassContext& context) : context_(context), function_(context.function) {}

  void run() {
    std::vector<InstId> chosen = SelectChoice(context_).run();
    if (chosen.empty()) return;
    for (InstId id : chosen) is_chosen_.resize(std::max<size_t>(is_chosen_.size(), id.index() + 1));
    for (InstId id : chosen) is_chosen_[id.index()] = 1;
    uint32_t iteration = 0;
    while (iteration < kMaxIterations && make_diamonds()) {
      ++iteration;
      sink_operands();
      copy_short_tails();
    }
    if (iteration == kMaxIterations && context_.remarks) {
      for (InstId id : chosen) {
        if (function_.inst(id).op != Opcode::Select) continue;
        context_.remarks->refused(function_, id, "stays a select: iteration limit reached");
      }
    }
    context_.counters.add("selects", chosen.size());
    context_.counters.add("branches", num_branches_);
  }

 private:
  // At most one in each block, for the last of its selects.
  bool make_diamonds() {
    diamonds_.clear();
    Defined defined(function_, context_.analyses);
    SelectDiamonds diamonds(function_, context_.analyses.get<Uses>(), defined);
    std::vector<BlockId> layout(function_.layout().begin(), function_.layout().end());
    for (BlockId b : layout) {
      std::span<const InstId> insts = function_.insts(b);
      for (size_t i = insts.size(); i-- > 0;) {
        if (insts[i].index() >= is_chosen_.size() || !is_chosen_[insts[i].index()]) continue;
        if (function_.inst(insts[i]).op != Opcode::Select || !diamonds.can_make(insts[i])) continue;
        diamonds_.push_back(diamonds.make(insts[i]));
        break;
      }
    }
    if (diamonds_.empty()) return false;
    diamonds.finish();
    num_branches_ += diamonds_.size();
    context_.analyses.drop(Keeps::Nothing);
    return true;
  }

  // What one side alone needs is computed there.
  void sink_operands() {
    Sinking sinking(function_, context_.analyses.get<Uses>());
    std::vector<Operand> needed;
    for (const SelectDiamond& diamond : diamonds_) {
      for (BlockId side : diamond.sides) {
        needed.clear();
        for (InstId id : function_.insts(diamond.tail)) {
          if (!function_.inst(id).is_phi()) break;
          for (auto [from, value] : phi_entries(function_, id)) {
            if (from == side) needed.push_back(value);
          }
        }
        for (InstId id : function_.insts(side)) {
          std::span<const Operand> operands = std::as_const(function_).operands(id);
          needed.insert(needed.end(), operands.begin(), operands.end());
        }
        sinking.sink(needed, diamond.head, side);
      }
    }
    context_.counters.add("instructions sunk", sinking.num_moved());
    context_.analyses.drop(Keeps::ControlFlow);
  }

  // Where little more than another branch follows, each side that is taken often gets a branch of its own.
  void copy_short_tails() {
    std::vector<BlockId> tails, empty;
    for (const SelectDiamond& diamond : diamonds_) {
      if (is_short(diamond)) {
        tails.push_back(diamond.tail);
      } else if (BlockId side = skip_empty_side(diamond)) {
        empty.push_back(side);
      }
    }
    remove(std::move(empty));
    if (tails.empty()) return;
    close_blocks(function_, context_.analyses, tails);
    context_.analyses.drop(Keeps::ControlFlow);
    const Order& order = context_.analyses.get<Order>();
    std::ranges::sort(tails, {}, [&](BlockId b) { return order.number(b); });
    BlockCopies copies(function_, context_.analyses);
    for (BlockId tail : tails) {
      if (copies.read_elsewhere(tail)) continue;
      copies.find_incoming(tail, incoming_);
      std::vector<EdgeGroup> groups;
      for (IncomingEdge& edge : incoming_) {
        bool is_first = groups.empty();
        EdgeGroup& group = groups.emplace_back();
        group.edges = {&edge, 1};
        group.frequency = edge.frequency;
        group.is_copied = !is_first;
      }
      copies.copy(tail, groups);
    }
    copies.finish();
    context_.counters.add("ends copied", copies.num_copies());
    context_.analyses.drop(Keeps::Nothing);
    cfg::merge_blocks(function_, context_.analyses, context_.counters);
    context_.analyses.drop(Keeps::Nothing);
  }

  // An empty side becomes an edge, but not both sides: phis tell edges by their blocks. Returns that side.
  BlockId skip_empty_side(const SelectDiamond& diamond) {
    for (size_t i : {size_t{1}, size_t{0}}) {
      BlockId side = diamond.sides[i];
      if (function_.insts(side).size() > 1) continue;
      function_.operands(diamond.branch)[i + 1] = Operand::block(diamond.tail);
      for (InstId id : function_.insts(diamond.tail)) {
        if (!function_.inst(id).is_phi()) break;
        std::ranges::replace(function_.operands(id), Operand::block(side), Operand::block(diamond.head));
      }
      return side;
    }
    return BlockId();
  }

  void remove(std::vector<BlockId> blocks) {
    if (blocks.empty()) return;
    std::ranges::sort(blocks);
    std::vector<BlockId> layout(function_.layout().begin(), function_.layout().end());
    std::erase_if(layout, [&](BlockId b) { return std::ranges::binary_search(blocks, b); });
    function_.set_layout(std::move(layout));
    context_.analyses.drop(Keeps::Nothing);
  }

  bool is_short(const SelectDiamond& diamond) const {
    std::span<const InstId> insts = function_.insts(diamond.tail);
    const Inst& last = function_.inst(insts.back());
    std::span<const Operand> targets = std::as_const(function_).operands(last);
    if (last.op != Opcode::Br || targets.size() != 3 || last.guard || targets[1] == targets[2]) return false;
    if (targets[1].block() == diamond.tail || targets[2].block() == diamond.tail) return false;
    size_t size = 0;
    for (InstId id : insts) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi()) continue;
      bool writes = inst.writes_memory() || inst.op == Opcode::Call || inst.op == Opcode::Slot ||
                    inst.has_flag(Inst::kVolatile);
      if (writes || inst.guard || ++size > kMaxCopied) return false;
    }
    std::span<const uint64_t> counts = std::as_const(function_).edge_counts(diamond.branch);
    if (counts.size() != 2) return false;
    double all = static_cast<double>(counts[0]) + static_cast<double>(counts[1]);
    return static_cast<double>(std::min(counts[0], counts[1])) >= kOftenTaken * all &&
           can_close(function_, context_.analyses, diamond.tail);
  }

  PassContext& context_;
  Function& function_;
  std::vector<uint8_t> is_chosen_;  // by InstId
  std::vector<SelectDiamond> diamonds_;
  std::vector<IncomingEdge> incoming_;
  uint64_t num_branches_ = 0;
};

}  // namespace

void branch_selects(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  BranchSelects(context).run();
}

}  // namespace psi
