// speculate: removes guards of definitions where that is safe and pays.
//
//     p = cmp.lt i, 10
//     q = cmp.ge i, 10                      q = cmp.ge i, 10
//     p ? a1 = add i, 1              ==>    a1 = add i, 1
//     q ? a2 = add i, 2                     q ? a2 = add i, 2
//     x = psi p?a1, q?a2                    x = psi a1, q?a2
//
// The SSA book, section 15.3 and figure 15.8. It pays in two ways:
//
// - A predicate becomes dead if all its readers are definitions that can be speculated, or first arguments of
//   psis, which can be promoted to true. So do instructions computed only for such predicates.
// - The dependence height of a block decreases: definitions on its longest chains that wait only for their
//   guards lose them, if all of those chains become shorter. The height counts copies that become necessary.
//
// A speculated definition is defined in more executions, so psis stay consistent, and nothing depends on it
// where it was undefined before. A predicate that guards an argument of a psi, or another predicate, keeps
// its own guard: the psi's consistency may depend on the predicate being read only where it was computed.
//
// Requires SSA form; ensures it. Linear: each block is visited a few times.
#include "psi/psi_transforms/speculate.h"

#include <fmt/format.h>

#include <algorithm>

#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/text/text.h"
#include "psi_transforms/candidates.h"
#include "psi_transforms/height.h"
#include "psi_transforms/spare_predicates.h"
#include "psi_transforms/unread.h"

namespace psi::psi_transforms {
namespace {

using Goal = SpeculateOptions::Goal;

class Speculation {
 public:
  Speculation(const Module& module, Function& function, Analyses& analyses, Counters& counters,
              Remarks* remarks)
      : module_(module),
        function_(function),
        dominators_(analyses.get<Dominators>()),
        uses_(analyses.get<Uses>()),
        candidates_(function, analyses, remarks),
        height_(function, uses_),
        counters_(counters),
        remarks_(remarks),
        is_speculated_(function.num_insts()) {}

  void run(Goal goal) {
    uint64_t before = height();
    if (goal == Goal::All) speculate_all();
    if (goal == Goal::Predicates || goal == Goal::Both) spare_predicates();
    if (goal == Goal::Height || goal == Goal::Both) {
      for (BlockId b : dominators_.preorder()) shorten(b);
    }
    promote_speculated();
    counters_.add("height before", before);
    counters_.add("height after", height());
    count("guards removed", guards_removed_);
    count("guards promoted", guards_promoted_);
    count("refused", candidates_.num_refused());
    remove_predicates();
  }

 private:
  // --- What pays ----------------------------------------------------------------------------------------

  void speculate_all() {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        if (candidates_[id]) remove_guard(id, [] { return "as all that can do without one"; });
      }
    }
  }

  void spare_predicates() {
    SparePredicates spared(function_, uses_, [&](Use use) {
      return use.is_guard() ? candidates_[use.inst]
                            : use.operand == first_operand(0) && function_.inst(use.inst).is_psi();
    });
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        if (spared.is_unread(id)) continue;
        const Inst& inst = function_.inst(id);
        if (inst.guard && spared.is_spared(inst.guard.reg())) {
          remove_guard(id, [] { return "which need not be computed then"; });
        } else if (inst.is_psi()) {
          Operand guard = psi_arguments(function_, inst).front().guard;
          if (guard.reads_reg() && spared.is_spared(guard.reg())) promote(id);
        }
      }
    }
  }

  // Removes the guards of all definitions on the longest chains that wait for nothing else, as long as that
  // helps.
  void shorten(BlockId b) {
    constexpr int kMaxIterations = 8;
    uint32_t height = height_.of(b);
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      height_.find_tails(b);
      tried_.clear();
      for (InstId id : function_.insts(b)) {
        Guard guard = function_.inst(id).guard;
        if (guard && candidates_[id] && height_.waits_for_guard(id, height)) {
          tried_.emplace_back(id, guard);
        }
      }
      for (auto [id, guard] : tried_) function_.inst(id).guard = Guard();
      uint32_t now = height_.of(b);
      for (auto [id, guard] : tried_) function_.inst(id).guard = guard;
      if (now >= height) return;
      for (auto [id, guard] : tried_) {
        remove_guard(id, [&] { return fmt::format("to shorten the block from {} to {}", height, now); });
      }
      height = now;
    }
  }

  uint64_t height() {
    uint64_t sum = 0;
    for (BlockId b : dominators_.preorder()) sum += height_.of(b);
    return sum;
  }

  // --- Changes ------------------------------------------------------------------------------------------

  template <class Why>
  void remove_guard(InstId id, Why why) {
    Inst& inst = function_.inst(id);
    if (remarks_) {
      remarks_->done(function_, id,
                     fmt::format("speculated without {}, {}", text(inst.guard.as_operand()), why()));
    }
    inst.guard = Guard();
    is_speculated_[id.index()] = true;
    ++guards_removed_;
  }

  // The first argument: where no argument was taken the psi is undef.
  void promote(InstId psi) {
    Operand& guard = mutable_psi_arguments(function_, psi).front().guard;
    if (remarks_) {
      remarks_->done(function_, psi, fmt::format("guard {} of argument 1 promoted to true", text(guard)));
    }
    guard = Operand::always();
    ++guards_promoted_;
  }

  void promote_speculated() {
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        if (!function_.inst(id).is_psi()) continue;
        auto [guard, value] = psi_arguments(function_, id).front();
        if (!guard.reads_reg() || !value.is_reg()) continue;
        InstId definition = uses_.definition(value.reg());
        if (definition && is_speculated_[definition.index()]) promote(id);
      }
    }
  }

  void remove_predicates() {
    if (guards_removed_ + guards_promoted_ == 0) return;
    Unread unread(function_, dominators_.preorder());
    auto was_read = [&](Reg r) { return r && function_.type(r) == Type::i1 && uses_.is_used(r); };
    unread.remove([&](InstId id) {
      const Inst& inst = function_.inst(id);
      return inst.is_pure() && (was_read(inst.results[0]) || was_read(inst.results[1]));
    });
    uint64_t removed = 0;
    for (uint32_t r = 0; r < function_.num_regs(); ++r) {
      removed += was_read(Reg(r)) && !unread.is_read(Reg(r)) && !uses_.is_param(Reg(r));
    }
    count("predicates removed", removed);
  }

  // --- Reports ------------------------------------------------------------------------------------------

  void count(const char* what, uint64_t amount) {
    if (amount) counters_.add(what, amount);
  }

  std::string text(Operand operand) const { return print(module_, function_, operand); }

  const Module& module_;
  Function& function_;
  const Dominators& dominators_;
  const Uses& uses_;
  Candidates candidates_;
  Height height_;
  Counters& counters_;
  Remarks* remarks_;
  std::vector<bool> is_speculated_;  // by InstId
  std::vector<std::pair<InstId, Guard>> tried_;
  uint64_t guards_removed_ = 0, guards_promoted_ = 0;
};

bool has_guards(const Function& function) {
  auto is_guarded = [&](InstId id) { return function.inst(id).guard || function.inst(id).is_psi(); };
  return std::ranges::any_of(function.layout(),
                             [&](BlockId b) { return std::ranges::any_of(function.insts(b), is_guarded); });
}

}  // namespace
}  // namespace psi::psi_transforms

namespace psi {

void speculate(const Module& module, Function& function, Analyses& analyses, const SpeculateOptions& options,
               Counters& counters, Remarks* remarks) {
  if (!psi_transforms::has_guards(function)) return;
  psi_transforms::Speculation(module, function, analyses, counters, remarks).run(options.goal);
  analyses.drop(Keeps::ControlFlow);
}

void speculate(PassContext& context) {
  std::string_view goal = context.arguments.word("goal");
  SpeculateOptions options;
  if (goal == "predicates") options.goal = SpeculateOptions::Goal::Predicates;
  if (goal == "height") options.goal = SpeculateOptions::Goal::Height;
  if (goal == "all") options.goal = SpeculateOptions::Goal::All;
  speculate(context.module, context.function, context.analyses, options, context.counters, context.remarks);
}

std::vector<PassOption> speculate_options() {
  return {PassOption::word("goal", {"both", "predicates", "height", "all"}, "what guards are removed for")};
}

}  // namespace psi
