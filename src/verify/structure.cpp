// Rules about blocks: terminators, positions of phis, and agreement of phis and edges.

#include <fmt/format.h>

#include <vector>

#include "psi/analysis/cfg.h"
#include "psi/ir/instruction_set.h"
#include "psi/ir/views.h"
#include "verify/checks.h"

namespace psi::verify {
namespace {

class BlockCheck {
 public:
  BlockCheck(Context& context, BlockId block)
      : context_(context), function_(context.function), block_(block) {}

  void run() {
    std::span<const InstId> ids = function_.insts(block_);
    if (ids.empty()) {
      return context_.error(Rule::BlockEmpty, block_, fmt::format("block {} has no instructions", name()));
    }
    // The earlier instructions were: only phis; with a terminator; with an unguarded one.
    bool head = true, ending = false, ended = false;
    for (InstId id : ids) {
      const Inst& inst = function_.inst(id);
      if (inst.is_phi() || inst.is_psi()) check_merge(id, inst, head);
      head = head && inst.is_phi();
      if (inst.is_terminator()) {
        if (ended) return group_error(id, inst, "a terminator without a guard");
        ending = true;
        ended = inst.guard.is_always() && !falls_through(inst);
      } else if (ending) {
        return group_error(id, inst, "a terminator");
      }
      if (context_.full()) return;
    }
    if (ended) return;
    // About the block, not about the instruction, which is what it seems to be.
    context_.error(
        Rule::BlockTerminator, block_,
        fmt::format("block {} {}", name(),
                    ending ? "ends in a terminator with a guard" : "does not end in a terminator"));
    context_.note(ids.back(), "its last instruction is here");
  }

 private:
  // A compare-and-branch may go on with the next terminator.
  bool falls_through(const Inst& inst) const {
    return inst.is_machine() && function_.instruction_set->form(inst).falls_through;
  }

  void check_merge(InstId id, const Inst& inst, bool head) {
    if (!is_ssa(function_.form)) {
      error(Rule::MergeForm, id,
            fmt::format("{} in a function that is {}", info(inst.op).name, form_name(function_.form)));
    }
    if (inst.is_phi() && !head) {
      error(Rule::PhiFirst, id, fmt::format("phi after another instruction of block {}", name()));
    }
  }

  void group_error(InstId id, const Inst& inst, std::string_view what) {
    error(Rule::TerminatorGroup, id,
          fmt::format("{} follows {} in block {}", info(inst.op).name, what, name()));
  }

  std::string name() const { return context_.name(block_); }
  void error(Rule rule, InstId id, std::string message) {
    context_.error(rule, block_, id, std::move(message));
  }

  Context& context_;
  const Function& function_;
  const BlockId block_;
};

class PhiCheck {
 public:
  PhiCheck(Context& context, const Cfg& cfg) : context_(context), function_(context.function), cfg_(cfg) {}

  void run() {
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        if (context_.full()) return;
        if (!function_.inst(id).is_phi()) break;
        if (b == function_.entry()) {
          context_.error(Rule::EntryPhi, b, id, fmt::format("phi in the entry block {}", context_.name(b)));
        } else {
          check(b, id);
        }
      }
    }
  }

 private:
  void check(BlockId b, InstId id) {
    if (marked_ != b) mark_predecessors(b);
    ++phi_;
    uint32_t found = 0;
    for (PhiEntry entry : phi_entries(function_, id)) {
      BlockId from = entry.block;
      if (predecessor_of_[from.index()] != b) {
        return error(b, id,
                     fmt::format("phi has an entry for {}, which is not a predecessor of {}",
                                 context_.name(from), context_.name(b)));
      }
      if (entry_of_[from.index()] == phi_) {
        return error(b, id, fmt::format("phi has two entries for {}", context_.name(from)));
      }
      entry_of_[from.index()] = phi_;
      ++found;
    }
    if (found == num_predecessors_) return;
    for (BlockId from : cfg_.predecessors(b)) {
      if (entry_of_[from.index()] == phi_) continue;
      return error(b, id,
                   fmt::format("phi has no entry for {}, which is a predecessor of {}", context_.name(from),
                               context_.name(b)));
    }
  }

  // Once for all phis of the block, so that each costs only its own entries.
  void mark_predecessors(BlockId b) {
    predecessor_of_.resize(function_.num_blocks());
    entry_of_.resize(function_.num_blocks());
    num_predecessors_ = 0;
    cfg_.for_each_distinct_predecessor(b, [&](BlockId from) {
      predecessor_of_[from.index()] = b;
      ++num_predecessors_;
    });
    marked_ = b;
  }

  void error(BlockId b, InstId id, std::string message) {
    context_.error(Rule::PhiPredecessors, b, id, std::move(message));
  }

  Context& context_;
  const Function& function_;
  const Cfg& cfg_;
  BlockId marked_;
  uint32_t num_predecessors_ = 0;
  uint32_t phi_ = 0;                     // counts the phis
  std::vector<BlockId> predecessor_of_;  // by BlockId: the marked block if this is a predecessor of it
  std::vector<uint32_t> entry_of_;       // by BlockId: the last phi that has an entry for it
};

}  // namespace

bool check_block(Context& context, BlockId block) {
  size_t errors = context.num_errors();
  BlockCheck(context, block).run();
  return context.num_errors() == errors;
}

void check_edges(Context& context, const Cfg& cfg) {
  BlockId entry = cfg.entry();
  if (!cfg.predecessors(entry).empty()) {
    context.error(Rule::EntryPredecessors, entry,
                  context.function.terminators(cfg.predecessors(entry)[0]).back(),
                  fmt::format("block {} branches to the entry block {}",
                              context.name(cfg.predecessors(entry).front()), context.name(entry)));
  }
  if (is_ssa(context.function.form)) PhiCheck(context, cfg).run();
}

}  // namespace psi::verify
