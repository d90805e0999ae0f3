// The uses of psis under guards that may read another operand of the same value.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi_transforms/psi_context.h"

namespace psi::psi_transforms {

// The uses of registers, including new ones.
class ProjectedUses {
 public:
  explicit ProjectedUses(PsiContext& context)
      : context_(context), function_(context.function()), added_(context.function().num_regs()) {
    find_compared();
  }

  // The guards under which a psi is read, with the uses, grouped by predicate.
  struct Read {
    Term term;
    Operand guard;
    Use use;
  };
  std::span<const Read> reads(InstId psi) {
    reads_.clear();
    Reg result = function_.inst(psi).results[0];
    for (Use use : context_.uses().uses(result)) add(use, result);
    for (uint32_t at = added_[result.index()]; at != 0; at = more_[at - 1].next) {
      add(more_[at - 1].use, result);
    }
    std::ranges::sort(reads_, {}, [](const Read& read) {
      return std::tuple(read.term.raw(), read.use.inst.index(), read.use.operand);
    });
    return reads_;
  }

  // May the instruction read `other`, of the same value, without losing facts about predicates? None: may it
  // read anything else?
  bool may_read(Use use, Operand old, Operand other) {
    const Inst& inst = function_.inst(use.inst);
    bool defines_predicate = inst.results[0] && inst.result_type() == Type::i1;
    if (function_.type(old) == Type::i1) {
      return (!defines_predicate && !inst.is_terminator()) || other.is_none() ||
             (other.is_reg() && context_.term(other) == context_.term(old));
    }
    return !defines_predicate && (!inst.is_copy() || !is_compared_[inst.results[0].index()]);
  }

  void set(Use use, Operand other) {
    function_.operands(use.inst)[use.operand] = other;
    note(use);
  }
  // Adds the uses of the newest psi.
  void note_new_psi() {
    InstId id(function_.num_insts() - 1);
    for (size_t i = 0; i < psi_arguments(function_, id).size(); ++i) note({id, value_operand(i)});
  }

 private:
  struct More {
    Use use;
    uint32_t next;  // in more_, counted from 1
  };

  void note(Use use) {
    Operand value = function_.operands(use.inst)[use.operand];
    if (!value.is_reg() || value.reg().index() >= added_.size()) return;
    more_.push_back({use, added_[value.reg().index()]});
    added_[value.reg().index()] = static_cast<uint32_t>(more_.size());
  }

  void add(Use use, Reg result) {
    if (use.is_guard()) return;
    const Inst& inst = function_.inst(use.inst);
    // Its operand may have changed.
    if (function_.operands(use.inst)[use.operand] != Operand::reg(result)) return;
    if (inst.is_psi()) {
      auto [argument, is_value] = pair_operand(use.operand);
      if (is_value) add(psi_arguments(function_, inst)[argument].guard, use);
    } else if (inst.guard) {
      add(inst.guard.as_operand(), use);
    }
  }
  void add(Operand guard, Use use) {
    if (guard.reads_reg()) reads_.push_back({context_.term(guard), guard, use});
  }

  // Which registers are compared, or copied to one that is?
  void find_compared() {
    is_compared_.resize(function_.num_regs());
    std::vector<Reg> pending;
    auto mark = [&](InstId id) {
      for (Operand operand : std::as_const(function_).operands(id)) {
        if (!operand.reads_reg() || is_compared_[operand.reg().index()]) continue;
        is_compared_[operand.reg().index()] = true;
        pending.push_back(operand.reg());
      }
    };
    for (BlockId b : function_.layout()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        if (inst.results[0] && inst.result_type() == Type::i1) mark(id);
      }
    }
    while (!pending.empty()) {
      InstId id = context_.uses().definition(pending.back());
      pending.pop_back();
      if (id && function_.inst(id).is_copy()) mark(id);
    }
  }

  PsiContext& context_;
  Function& function_;
  std::vector<uint32_t> added_;  // by Reg: in more_, counted from 1; 0: none
  std::vector<More> more_;
  std::vector<bool> is_compared_;  // by Reg
  std::vector<Read> reads_;
};

}  // namespace psi::psi_transforms
