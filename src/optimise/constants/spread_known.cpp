#include "optimise/constants/spread_known.h"

#include <algorithm>
#include <vector>

#include "cfg/substitution.h"
#include "cfg/terminators.h"
#include "optimise/constants/known_values.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/views.h"

namespace psi::optimise {
namespace {

class KnownSpreading {
 public:
  KnownSpreading(Function& function, Analyses& analyses, KnownIn where)
      : function_(function),
        analyses_(analyses),
        cfg_(analyses.get<Cfg>()),
        where_(where),
        definitions_(function.num_regs()),
        known_(function, definitions_),
        substitution_(function),
        terminators_(function),
        edges_from_(function.num_blocks()) {}

  uint64_t run(Counters& counters) {
    if (!look_around()) return 0;
    const Dominators& dominators = analyses_.get<Dominators>();
    for (BlockId b : dominators.preorder()) {
      marks_.resize(dominators.level(b));
      known_.release(marks_.empty() ? 0 : marks_.back());
      if (cfg_.predecessors(b).size() == 1) known_.assume_taken(cfg_.incoming(b, 0));
      marks_.push_back(known_.mark());
      visit(b);
    }
    decide();
    if (changed_ > 0) finish(counters);
    return changed_;
  }

 private:
  // Finds the definitions. False if there are no facts from branches or guards.
  bool look_around() {
    bool says = false, has_psis = false;
    for (BlockId b : function_.layout()) {
      says |= cfg_.successors(b).size() > 1;
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        says |= !inst.guard.is_always();
        has_psis |= inst.is_psi();
        for (Reg result : inst.results) {
          if (result) definitions_[result.index()] = id;
        }
      }
    }
    // The reads of psis that matter are those of the function as it is now.
    if (has_psis && where_ == KnownIn::AllOperands) analyses_.get<Uses>();
    return says || has_psis;
  }

  void visit(BlockId b) {
    if (where_ == KnownIn::AllOperands) visit_body(b);
    for (InstId id : function_.terminators(b)) visit_terminator(b, id);
    if (where_ == KnownIn::AllOperands) visit_phis_after(b);
  }

  void visit_body(BlockId b) {
    kept_.clear();
    std::span<const InstId> insts = function_.insts(b);
    size_t body = insts.size() - function_.terminators(b).size();
    for (InstId id : insts.first(body)) {
      if (function_.inst(id).is_phi() || visit(id)) kept_.push_back(id);
    }
    if (kept_.size() == body) return;
    kept_.insert(kept_.end(), insts.begin() + static_cast<ptrdiff_t>(body), insts.end());
    function_.set_insts(b, kept_);
  }

  // Edges go by their number until all blocks are visited, so terminators are changed only then.
  void visit_terminator(BlockId b, InstId id) {
    const Inst& inst = function_.inst(id);
    size_t mark = known_.mark();
    Operand guard = inst.guard ? known_(inst.guard.as_operand()) : Operand();
    if (guard.reads_reg()) known_.assume(guard, true);
    Operand read = inst.count > 0 ? std::as_const(function_).operands(id)[0] : Operand();
    Operand value = known_(read);
    known_.release(mark);
    if (guard.is_literal() || (value.is_literal() && value != read)) {
      decided_.push_back({b, id, guard, value});
    }
  }

  void decide() {
    for (const Decision& decision : decided_) {
      ++changed_;
      if (decision.value.is_literal()) function_.operands(decision.terminator)[0] = decision.value;
      if (!decision.guard.is_literal()) continue;
      if (function_.literal_bits(decision.guard)) {
        function_.inst(decision.terminator).guard = Guard();
        continue;
      }
      BlockId b = decision.block;
      kept_.assign(function_.insts(b).begin(), function_.insts(b).end());
      std::erase(kept_, decision.terminator);
      function_.set_insts(b, kept_);
      terminators_.drop_edges(b, cfg_.successors(b));
      keeps_edges_ = false;
    }
  }

  // False if the instruction does nothing.
  bool visit(InstId id) {
    if (function_.inst(id).is_psi()) return visit_psi(id);
    Guard guard = function_.inst(id).guard;
    size_t mark = known_.mark();
    if (guard) {
      Operand now = known_(guard.as_operand());
      if (now.is_literal()) {
        // An address may be that of a function, which is called through a register.
        if (function_.inst(id).result_type() == Type::ptr) return true;
        ++changed_;
        if (function_.literal_bits(now) == 0) {
          for (Reg result : function_.inst(id).results) {
            if (result) substitution_.set(result, Operand::undef(function_.type(result)));
          }
          return false;
        }
        function_.inst(id).guard = Guard();
      } else {
        known_.assume(guard.as_operand(), true);
      }
    }
    if (known_.empty()) return true;
    bool is_call = function_.inst(id).op == Opcode::Call;
    for (Operand& operand : function_.operands(id).subspan(is_call ? 1 : 0)) replace(operand);
    known_.release(mark);
    return true;
  }

  // The domain of a psi that another psi reads must not appear smaller.
  bool is_read_by_psi(Reg r) const {
    return std::ranges::any_of(analyses_.get<Uses>().uses(r),
                               [&](Use use) { return function_.inst(use.inst).is_psi(); });
  }

  bool visit_psi(InstId id) {
    bool keeps_domain = function_.inst(id).type == Type::ptr || is_read_by_psi(function_.inst(id).results[0]);
    arguments_.clear();
    bool changed = false, is_first = true;
    for (auto [old, value] : psi_arguments(function_, id)) {
      bool is_leftmost = std::exchange(is_first, false);
      Operand guard = keeps_domain ? old : known_(old);
      if (guard.is_literal() && guard != Operand::always()) {
        changed = true;
        continue;
      }
      // It cuts off what lies to its left.
      if (guard.is_literal() && !is_leftmost) {
        changed = true;
        arguments_.clear();
      }
      changed |= guard != old;
      size_t mark = known_.mark();
      known_.assume(guard, true);
      Operand now = known_(value);
      changed |= now != value;
      known_.release(mark);
      add_psi_argument(arguments_, guard, now);
    }
    if (!changed) return true;
    ++changed_;
    Reg result = function_.inst(id).results[0];
    PsiArguments left = psi_arguments(arguments_);
    if (left.size() > 1) {
      function_.set_operands(id, arguments_);
      return true;
    }
    substitution_.set(result, left.empty() ? Operand::undef(function_.type(result)) : left.front().value);
    return false;
  }

  // The phis of successors read at the end of this block, under the condition of their edge.
  void visit_phis_after(BlockId b) {
    std::span<const BlockId> successors = cfg_.successors(b);
    for (BlockId to : successors) ++edges_from_[to.index()];
    for (uint32_t i = 0; i < successors.size(); ++i) {
      BlockId to = successors[i];
      if (!function_.inst(function_.insts(to)[0]).is_phi()) continue;
      size_t mark = known_.mark();
      if (edges_from_[to.index()] == 1) known_.assume_taken({b, i});
      if (!known_.empty()) visit_phis(b, to);
      known_.release(mark);
    }
    for (BlockId to : successors) edges_from_[to.index()] = 0;
  }

  void visit_phis(BlockId from, BlockId b) {
    for (InstId id : function_.insts(b)) {
      if (!function_.inst(id).is_phi()) break;
      MutablePhiEntries entries = mutable_phi_entries(function_, id);
      if (entries.size() > kMaxPredecessors) continue;
      for (MutablePhiEntry entry : entries) {
        if (entry.block() == from) replace(entry.value);
      }
    }
  }

  void replace(Operand& operand) {
    Operand now = known_(operand);
    changed_ += now != operand;
    operand = now;
  }

  void finish(Counters& counters) {
    for (BlockId b : function_.layout()) keeps_edges_ &= !terminators_.fold(b);
    terminators_.finish();
    analyses_.drop(keeps_edges_ ? Keeps::ControlFlow : Keeps::Nothing);
    if (!keeps_edges_) {
      dce_unreachable(function_, analyses_, counters);
      analyses_.drop(Keeps::Nothing);
    }
    substitution_.apply(analyses_, counters);
  }

  // A phi is searched for the entry of each of its predecessors, so those of many are left alone.
  static constexpr size_t kMaxPredecessors = 64;

  struct Decision {
    BlockId block;
    InstId terminator;
    Operand guard, value;  // literals, where they are known
  };

  Function& function_;
  Analyses& analyses_;
  const Cfg& cfg_;
  KnownIn where_;
  std::vector<InstId> definitions_;  // by Reg
  KnownValues known_;
  cfg::Substitution substitution_;
  cfg::TerminatorFolding terminators_;
  bool keeps_edges_ = true;
  std::vector<size_t> marks_;         // by level in the dominator tree: where what its block knows ends
  std::vector<uint32_t> edges_from_;  // by BlockId
  std::vector<InstId> kept_;
  std::vector<Operand> arguments_;
  std::vector<Decision> decided_;
  uint64_t changed_ = 0;
};

}  // namespace

uint64_t spread_known(Function& function, Analyses& analyses, KnownIn where, Counters& counters) {
  return KnownSpreading(function, analyses, where).run(counters);
}

}  // namespace psi::optimise
