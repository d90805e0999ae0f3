// Aggressive dead code elimination.
//
//     %p = cmp.lt.i32 %a, %b         ret %a
//     br %p, @then, @else      ==>
//     @then: ...
//     @else: ...
//     @join: %x = phi ...
//            ret %a
//
// Cytron et al. 1991, section 7.1: code not proved live is removed (live_code.h), branches included, which
// become jumps to the nearest live post-dominator. Loops stay, since an infinite loop is observable. On
// psi-SSA form guards count as operands, so that the computation of a guard dies with the instructions under
// it; a psi loses arguments that are never read (unread_arguments.h); a cmpp loses an unread target, and
// becomes a plain comparison if nothing else is left.
//
// Requires: SSA form. Ensures: the same; every block is reachable. Near-linear.
#include <array>
#include <string>
#include <vector>

#include "cfg/terminators.h"
#include "optimise/dead_code/live_code.h"
#include "optimise/dead_code/unread_arguments.h"
#include "psi/analysis/post_dominators.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"
#include "psi/optimise/dead_code.h"

namespace psi {
namespace {

using namespace optimise;

class DeadCodeElimination {
 public:
  explicit DeadCodeElimination(PassContext& context)
      : context_(context),
        function_(context.function),
        analyses_(context.analyses),
        terminators_(context.function) {}

  void run() {
    size_t blocks = function_.layout().size();
    dce_unreachable(context_);
    if (function_.layout().size() < blocks) analyses_.drop(Keeps::Nothing);
    count("psi arguments removed", drop_unread_arguments(function_, analyses_));
    LiveCode live(context_.module, function_, analyses_);
    for (BlockId b : function_.layout()) sweep(b, live);
    for (BlockId b : analyses_.get<PostDominators>().preorder()) sweep_branch(b, live);
    terminators_.finish();
    count("instructions removed", instructions_);
    count("guarded instructions removed", guarded_);
    count("slots removed", slots_);
    count("compare targets removed", targets_removed_);
    count("branches removed", branches_);
    if (instructions_ + targets_removed_ + branches_ == 0) return;
    analyses_.drop(branches_ > 0 ? Keeps::Nothing : Keeps::ControlFlow);
    if (branches_ > 0) dce_unreachable(context_);
  }

 private:
  void count(std::string_view what, uint64_t amount) {
    if (amount > 0) context_.counters.add(what, amount);
  }

  void sweep(BlockId b, const LiveCode& live) {
    kept_.clear();
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.is_terminator() || live.is_live(id)) {
        if (inst.op == Opcode::Cmpp) drop_target(id, live);
        kept_.push_back(id);
        continue;
      }
      ++instructions_;
      guarded_ += !inst.guard.is_always();
      slots_ += inst.op == Opcode::Slot;
      if (context_.remarks && inst.op != Opcode::Slot && inst.writes_memory()) {
        context_.remarks->done(function_, id, "removed: its effect is never observed");
      }
    }
    if (kept_.size() < function_.insts(b).size()) function_.set_insts(b, kept_);
  }

  // Of a live cmpp at least one target is read.
  void drop_target(InstId id, const LiveCode& live) {
    Inst& inst = function_.inst(id);
    if (!inst.results[1] || (live.is_live(inst.results[0]) && live.is_live(inst.results[1]))) return;
    int kept = live.is_live(inst.results[0]) ? 0 : 1;
    Action action = inst.action(kept);
    std::span<const Operand> operands = std::as_const(function_).operands(id);
    operands_.assign(operands.begin(), operands.begin() + kCmppOld);
    if (is_partial(action)) operands_.push_back(old_value(inst, operands, kept));
    inst.results = {inst.results[static_cast<size_t>(kept)], Reg()};
    inst.set_actions(action, Action::none);
    ++targets_removed_;
    if (!is_partial(action) && operands_[kCmppInput] == Operand::always()) {
      if (is_complement(action)) inst.set_cond(negate(inst.cond()));
      inst.op = Opcode::Cmp;
      inst.extra = 0;
      operands_.resize(kCmppInput);
    }
    function_.set_operands(id, operands_);
  }

  // Parents come before their children, so that the nearest live block above is known.
  void sweep_branch(BlockId b, const LiveCode& live) {
    const PostDominators& post_dominators = analyses_.get<PostDominators>();
    nearest_.resize(function_.num_blocks());
    if (BlockId parent = post_dominators.ipdom(b)) {
      nearest_[b.index()] = live.is_live(parent) ? parent : nearest_[parent.index()];
    }
    InstId last = function_.insts(b).back();
    if (live.is_live(last) || (function_.inst(last).is_jump() && function_.terminators(b).size() == 1))
      return;
    if (context_.remarks) context_.remarks->done(function_, last, "removed: both sides have the same effect");
    targets_.clear();
    function_.for_each_successor(b, [&](BlockId target) { targets_.push_back(target); });
    Inst jump;
    jump.op = Opcode::Br;
    function_.inst(last) = jump;
    function_.set_operands(last, std::array{Operand::block(nearest_[b.index()])});
    function_.set_edge_counts(last, {});
    size_t before = function_.insts(b).size() - function_.terminators(b).size();
    kept_.assign(function_.insts(b).begin(), function_.insts(b).begin() + static_cast<ptrdiff_t>(before));
    kept_.push_back(last);
    function_.set_insts(b, kept_);
    terminators_.drop_edges(b, targets_);
    ++branches_;
  }

  PassContext& context_;
  Function& function_;
  Analyses& analyses_;
  cfg::TerminatorFolding terminators_;
  std::vector<BlockId> nearest_;  // by BlockId: the next live block above in the post-dominator tree
  std::vector<BlockId> targets_;
  std::vector<InstId> kept_;
  std::vector<Operand> operands_;
  uint64_t instructions_ = 0, guarded_ = 0, slots_ = 0, targets_removed_ = 0, branches_ = 0;
};

}  // namespace

void adce(PassContext& context) { DeadCodeElimination(context).run(); }

}  // namespace psi
