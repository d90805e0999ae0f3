// Fewer blocks and branches.
//
//     @a: br %p, @b, @c                   @a: br %p, @d, @c
//     @b: br @d                    ==>    @d: ...
//     @c: br %p, @e, @f                   @c: br @f  ... which is merged with @f if nothing else leads there
//
// Iterates until nothing changes: branches that a dominating branch decides (spread_known.h), single
// terminators (simplify_terminators.h) and jumps through empty blocks (thread_jumps.h), in post-order so that
// successors are simplified first, then chains of blocks (merge_blocks.h). Nothing is duplicated, and no
// branch becomes a guard.
//
// Requires: SSA form. Ensures: the same; every block is reachable. Remaining profile counts are sums of
// measured ones, or dropped. Near-linear: an iteration is linear, and there are at most kMaxCfgIterations.
#include "cfg/merge_blocks.h"
#include "cfg/thread_jumps.h"
#include "optimise/constants/spread_known.h"
#include "optimise/dead_code/simplify_terminators.h"
#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"
#include "psi/optimise/dead_code.h"

namespace psi {
namespace {

using namespace optimise;

constexpr int kMaxCfgIterations = 8;

class CfgSimplification {
 public:
  explicit CfgSimplification(PassContext& context)
      : context_(context), function_(context.function), analyses_(context.analyses) {}

  void run() {
    remove_unreachable();
    for (int iteration = 0; iteration < kMaxCfgIterations && simplify(); ++iteration) continue;
  }

 private:
  void count(std::string_view what, uint64_t amount) {
    if (amount > 0) context_.counters.add(what, amount);
  }

  void remove_unreachable() {
    size_t blocks = function_.layout().size();
    dce_unreachable(context_);
    if (function_.layout().size() < blocks) analyses_.drop(Keeps::Nothing);
  }

  bool simplify() {
    uint64_t decided = spread_known(function_, analyses_, KnownIn::Terminators, context_.counters);
    count("branches decided by others", decided);
    bool changed = simplify_each();
    uint64_t returns = cfg::merge_returns(function_);
    count("returns merged", returns);
    if (changed || returns > 0) {
      analyses_.drop(Keeps::Nothing);
      remove_unreachable();
    }
    uint64_t merged = cfg::merge_blocks(function_, analyses_, context_.counters);
    count("blocks merged", merged);
    return changed || decided > 0 || merged > 0 || returns > 0;
  }

  bool simplify_each() {
    std::span<const BlockId> order = analyses_.get<Order>().reverse_post_order();
    TerminatorSimplification terminators(function_);
    cfg::JumpThreading jumps(function_, analyses_);
    bool changed = false;
    for (size_t i = order.size(); i-- > 0;) {
      changed |= jumps.thread(order[i]);
      changed |= terminators.simplify(order[i]);
    }
    count("jumps threaded", jumps.num_threaded());
    count("branches folded", terminators.branches_folded());
    count("switches reduced", terminators.switches_reduced());
    count("edges to unreachable code dropped", terminators.traps_avoided());
    return changed;
  }

  PassContext& context_;
  Function& function_;
  Analyses& analyses_;
};

}  // namespace

void simplify_cfg(PassContext& context) { CfgSimplification(context).run(); }

}  // namespace psi
