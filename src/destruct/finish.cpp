#include "destruct/finish.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "destruct/isolate.h"
#include "destruct/web_names.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/destruct/parallel_copy.h"
#include "psi/ir/views.h"

namespace psi::destruct {
namespace {

class Finish {
 public:
  Finish(Function& function, Analyses& analyses, const Webs& webs, const Copies& copies)
      : function_(function),
        dominators_(analyses.get<Dominators>()),
        frequencies_(analyses.get<Frequencies>()),
        webs_(webs),
        copies_(copies) {}

  CopiesLeft run() {
    name_webs(function_, webs_);
    for (Reg& param : function_.params) param = webs_.find(param);
    is_defined_.assign(function_.num_regs(), 0);
    is_read_.assign(function_.num_regs(), 0);
    find_slots();
    for (Reg param : function_.params) is_defined_[param.index()] = 1;
    for (BlockId b : dominators_.preorder()) rewrite(b);
    define_the_rest();
    function_.form = Form::Plain;
    left_.weight = static_cast<uint64_t>(std::llround(weight_ * 100));
    return left_;
  }

 private:
  // Addresses of the stack frame are constants, too: registers that get nothing else.
  void find_slots() {
    is_slot_.assign(function_.num_regs(), 0);
    std::vector<uint8_t> has_others(function_.num_regs());
    for (Reg param : function_.params) has_others[webs_.find(param).index()] = 1;
    for (BlockId b : dominators_.preorder()) {
      for (InstId id : function_.insts(b)) {
        const Inst& inst = function_.inst(id);
        if (inst.is_phi() || inst.is_psi() || inst.num_results() == 0) continue;
        Operand operand = std::as_const(function_).operands(id)[0];
        uint32_t web = webs_.find(inst.results[0]).index();
        if (inst.op == Opcode::Slot && operand.is_literal() && !is_slot_[web]) {
          is_slot_[web] = 1;
        } else if (inst.op != Opcode::Mov || !operand.is_reg() || webs_.find(operand.reg()).index() != web) {
          for (Reg r : inst.results) {
            if (r) has_others[webs_.find(r).index()] = 1;
          }
        }
      }
    }
    for (uint32_t r = 0; r < is_slot_.size(); ++r) is_slot_[r] = is_slot_[r] && !has_others[r];
  }

  void rewrite(BlockId b) {
    list_.clear();
    old_.assign(function_.insts(b).begin(), function_.insts(b).end());
    for (size_t i = 0; i < old_.size();) {
      if (Together together = copies_.together(old_[i]); together != Together::No) {
        size_t first = i;
        while (i < old_.size() && copies_.together(old_[i]) == together) ++i;
        put_in_order(b, std::span(old_).subspan(first, i - first));
        continue;
      }
      InstId id = old_[i++];
      Inst& inst = function_.inst(id);
      if (inst.is_phi() || inst.is_psi()) continue;
      rename(id);
      if (inst.has_old_values()) drop_old_values(id);
      if (inst.is_copy()) {
        Operand source = copied(function_, inst);
        if (source == Operand::reg(inst.results[0])) continue;
        count(b, source);
      }
      add(id);
    }
    function_.set_insts(b, list_);
  }

  void rename(InstId id) {
    Inst& inst = function_.inst(id);
    if (inst.guard) inst.guard = Guard(webs_.find(inst.guard.reg()), inst.guard.is_negated());
    for (Reg& result : inst.results) {
      if (result) result = webs_.find(result);
    }
    for (Operand& operand : function_.operands(id)) operand = renamed(operand);
  }

  Operand renamed(Operand operand) const {
    if (!operand.reads_reg()) return operand;
    return Operand::predicate(webs_.find(operand.reg()), operand.is_negated());
  }

  void drop_old_values(InstId id) {
    CmppView cmpp = as_cmpp(function_, id);
    function_.set_operands(id, std::array{cmpp.left, cmpp.right, cmpp.input});
  }

  // The necessary copies, in sequence; their instructions are reused.
  void put_in_order(BlockId b, std::span<const InstId> together) {
    parallel_.clear();
    for (InstId id : together) {
      rename(id);
      const Inst& inst = function_.inst(id);
      Operand source = function_.operands(id)[0];
      if (source != Operand::reg(inst.results[0])) parallel_.push_back({inst.results[0], source, inst.guard});
    }
    if (parallel_.empty()) return;
    // Several copies to one register have the same value.
    std::sort(parallel_.begin(), parallel_.end(), [](const Copy& x, const Copy& y) {
      return std::pair(x.target, x.source.raw()) < std::pair(y.target, y.source.raw());
    });
    auto same_target = [](const Copy& x, const Copy& y) { return x.target == y.target; };
    parallel_.erase(std::unique(parallel_.begin(), parallel_.end(), same_target), parallel_.end());
    auto make_temporary = [&](Reg saved) {
      ++left_.temporaries;
      is_defined_.push_back(0);
      is_read_.push_back(0);
      return function_.add_reg(function_.type(saved));
    };
    std::vector<Copy> ordered = sequentialise(parallel_, make_temporary);
    size_t reused = 0;
    for (const Copy& copy : ordered) {
      InstId id;
      if (reused < together.size()) {
        id = together[reused++];
      } else {
        Inst mov;
        mov.op = Opcode::Mov;
        id = function_.add_inst(mov, std::array{copy.source});
      }
      Inst& inst = function_.inst(id);
      inst.type = function_.type(copy.target);
      inst.guard = copy.guard;
      inst.results[0] = copy.target;
      function_.operands(id)[0] = copy.source;
      count(b, copy.source);
      add(id);
    }
  }

  void count(BlockId b, Operand source) {
    if (source.is_reg() && source.reg().index() < is_slot_.size() && is_slot_[source.reg().index()]) {
      ++left_.slots;
    } else if (source.is_reg()) {
      ++left_.copies;
      weight_ += frequencies_.of(b);
    } else if (!source.is_undef()) {
      ++left_.constants;
    }
  }

  void add(InstId id) {
    const Inst& inst = function_.inst(id);
    for (Reg result : inst.results) {
      if (result) is_defined_[result.index()] = 1;
    }
    if (inst.guard) is_read_[inst.guard.reg().index()] = 1;
    for (Operand operand : std::as_const(function_).operands(id)) {
      if (operand.reads_reg()) is_read_[operand.reg().index()] = 1;
    }
    list_.push_back(id);
  }

  // A register defined only by phis and psis of undef is undef.
  void define_the_rest() {
    list_.clear();
    for (uint32_t r = 0; r < is_read_.size(); ++r) {
      if (!is_read_[r] || is_defined_[r]) continue;
      Inst inst;
      inst.op = Opcode::Mov;
      inst.type = function_.type(Reg(r));
      inst.results[0] = Reg(r);
      list_.push_back(function_.add_inst(inst, std::array{Operand::undef(inst.type)}));
    }
    if (list_.empty()) return;
    std::span<const InstId> entry = function_.insts(function_.entry());
    list_.insert(list_.end(), entry.begin(), entry.end());
    function_.set_insts(function_.entry(), list_);
  }

  Function& function_;
  const Dominators& dominators_;
  const Frequencies& frequencies_;
  const Webs& webs_;
  const Copies& copies_;
  std::vector<uint8_t> is_defined_;  // by Reg
  std::vector<uint8_t> is_read_;
  std::vector<InstId> list_;
  std::vector<InstId> old_;
  std::vector<Copy> parallel_;
  std::vector<uint8_t> is_slot_;  // by representative: the address of a stack slot, and nothing else
  CopiesLeft left_;
  double weight_ = 0;
};

}  // namespace

void unite_ties(const Function& function, const Dominators& dominators, Webs& webs, Ties which) {
  webs.grow(function.num_regs());
  for (BlockId b : dominators.preorder()) {
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      std::span<const Operand> operands = function.operands(inst);
      if ((inst.is_phi() && which == Ties::All) || inst.is_psi()) {
        for (MergeArgument argument : merge_arguments(function, inst)) {
          if (argument.value.is_reg()) webs.unite(inst.results[0], argument.value.reg());
        }
      } else if (inst.op == Opcode::Cmpp) {
        for_each_old_value(inst, [&](Reg target, uint32_t operand) {
          if (operands[operand].is_reg()) webs.unite(target, operands[operand].reg());
        });
      }
    }
  }
}

CopiesLeft finish(Function& function, Analyses& analyses, const Webs& webs, const Copies& copies,
                  Counters& counters) {
  CopiesLeft left = Finish(function, analyses, webs, copies).run();
  counters.add("copies left", left.copies);
  counters.add("constants left", left.constants);
  counters.add("slot addresses left", left.slots);
  counters.add("temporaries", left.temporaries);
  counters.add("copies left weighted", left.weight);
  return left;
}

}  // namespace psi::destruct
