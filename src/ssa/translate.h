// The translation of instructions into SSA form, independent of how current names are found.
#pragma once

#include <algorithm>
#include <array>
#include <memory_resource>
#include <span>
#include <vector>

#include "psi/ir/views.h"
#include "psi/ssa/construct.h"
#include "ssa/domains.h"
#include "ssa/names.h"

namespace psi::ssa {

// Removes the psis that nothing reads from their blocks; returns how many.
uint64_t drop_unread(Function& function, std::span<const InstId> psis);
// Defines a register as undef at the head of the entry block.
void define_undef(Function& function, Reg undef);

// `Versions` knows the current value of each variable in the block being translated:
//     Operand read(Reg variable);                a register, or undef if it has none
//     void write(Reg variable, Operand value);
//     void use(Operand value);                   an instruction that stays reads it
template <class Versions>
class Translator {
 public:
  // The limit of inlining, so that a long sequence of guarded definitions stays near-linear.
  static constexpr uint32_t kMaxInlinedArguments = 64;

  Translator(Function& function, const ConstructOptions& options, Names& names, Versions& versions)
      : function_(function), options_(options), names_(names), versions_(versions), domains_(function) {}

  // Renames the instructions of a block; appends the remaining ones, psis included, to `list`.
  void block(BlockId b, std::pmr::vector<InstId>& list) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (!inst.guard && inst.op != Opcode::Cmpp) {
        unguarded(id, list);
      } else if (instruction(id, list)) {
        list.push_back(id);
        results(id, list);
      }
    }
  }

  // After all blocks: drops psis that are inlined wherever they were read, and defines the register of
  // undefined guards.
  void finish() {
    if (!inlined_.empty()) psis_ -= drop_unread(function_, inlined_);
    if (undef_) define_undef(function_, undef_);
  }

  void count(Counters& counters) const {
    counters.add("psis", psis_);
    counters.add("psi arguments", psi_arguments_);
    counters.add("psis inlined", inlined_.size());
    counters.add("copies folded", folded_);
  }
  uint64_t folded() const { return folded_; }

  Reg undef_predicate() {
    if (!undef_) undef_ = function_.add_reg(Type::i1);
    return undef_;
  }

 private:
  // The fast path for most instructions.
  void unguarded(InstId id, std::pmr::vector<InstId>& list) {
    Inst& inst = function_.inst(id);
    if (inst.is_copy() && options_.fold && copied(function_, inst).is_reg()) {
      versions_.write(inst.results[0], versions_.read(copied(function_, inst).reg()));
      ++folded_;
      return;
    }
    for (Operand& operand : function_.operands(id)) {
      if (!operand.is_reg()) continue;
      operand = versions_.read(operand.reg());
      versions_.use(operand);
    }
    list.push_back(id);
    for (Reg& result : inst.results) {
      if (!result) continue;
      Reg variable = result;
      result = names_.make(variable);
      versions_.write(variable, Operand::reg(result));
    }
  }

  // Renames the reads. False if the instruction is a folded copy.
  bool instruction(InstId id, std::pmr::vector<InstId>& list) {
    Inst& inst = function_.inst(id);
    if (inst.guard) inst.guard = Guard(predicate(inst.guard.reg()), inst.guard.is_negated());
    if (options_.fold && inst.is_copy() && copied(function_, inst).is_reg()) {
      Operand& source = function_.operands(id)[0];
      source = versions_.read(source.reg());
      if (fold(id, list)) return false;
      versions_.use(source);
    } else {
      bool is_cmpp = inst.op == Opcode::Cmpp;
      uint32_t position = 0;
      for (Operand& operand : function_.operands(id)) {
        if (operand.reads_reg()) {
          bool is_predicate = operand.is_negated() || (is_cmpp && position == kCmppInput);
          operand = is_predicate ? Operand::predicate(predicate(operand.reg()), operand.is_negated())
                                 : versions_.read(operand.reg());
          versions_.use(operand);
        }
        ++position;
      }
      if (is_cmpp) add_old_values(id);
    }
    if (inst.guard) versions_.use(inst.guard.as_operand());
    return true;
  }

  // Guards are registers: an undef register replaces a guard without a value.
  Reg predicate(Reg variable) {
    Operand current = versions_.read(variable);
    return current.is_reg() ? current.reg() : undef_predicate();
  }

  // x = y: from here on x has the value of y. Under a guard the value enters x's psi, if it is defined
  // wherever the guard holds; otherwise the copy stays.
  bool fold(InstId id, std::pmr::vector<InstId>& list) {
    const Inst& inst = function_.inst(id);
    Guard guard = inst.guard;
    Reg variable = inst.results[0];
    Operand source = copied(function_, inst);
    if (!guard) {
      versions_.write(variable, source);
    } else if (Operand old = versions_.read(variable); source != old) {
      if (!domains_.contains(source, guard)) return false;
      list.push_back(merge(variable, old, guard, source, id));
    }
    ++folded_;
    return true;
  }

  // In plain form a partial target keeps its old value where it is not written; here it reads it.
  void add_old_values(InstId id) {
    const Inst& inst = function_.inst(id);
    std::array<Operand, kCmppOld + 2> operands;
    std::copy_n(function_.operands(id).begin(), kCmppOld, operands.begin());
    uint32_t count = kCmppOld;
    for (int i = 0; i < 2; ++i) {
      if (!inst.results[i] || !is_partial(inst.action(i))) continue;
      operands[count] = versions_.read(inst.results[i]);
      versions_.use(operands[count++]);
    }
    if (count > kCmppOld) function_.set_operands(id, std::span(operands).first(count));
  }

  void results(InstId id, std::pmr::vector<InstId>& list) {
    for (int i = 0; i < 2; ++i) {
      Reg variable = function_.inst(id).results[i];
      if (!variable) continue;
      Guard guard = function_.inst(id).guard;
      Operand old = guard ? versions_.read(variable) : Operand();
      Reg name = names_.make(variable);
      function_.inst(id).results[i] = name;
      if (!guard) {
        versions_.write(variable, Operand::reg(name));
        continue;
      }
      domains_.define(name, guard);
      list.push_back(merge(variable, old, guard, Operand::reg(name), id));
    }
  }

  // The psi that gives `variable` this value under the guard, and the old one elsewhere.
  InstId merge(Reg variable, Operand old, Guard guard, Operand value, InstId definition) {
    arguments_.clear();
    InstId before = old.is_reg() ? domains_.psi(old.reg()) : InstId();
    if (options_.inline_psis && before && psi_arguments(function_, before).size() < kMaxInlinedArguments) {
      std::span<const Operand> list = function_.operands(before);
      arguments_.assign(list.begin(), list.end());
      inlined_.push_back(before);
    } else if (!old.is_undef()) {
      add_psi_argument(arguments_, Operand::always(), old);
    }
    add_psi_argument(arguments_, guard.as_operand(), value);
    for (Operand argument : arguments_) versions_.use(argument);

    Inst inst;
    inst.op = Opcode::Psi;
    inst.type = function_.type(variable);
    inst.results[0] = names_.make(variable);
    InstId psi = function_.add_inst(inst, arguments_);
    function_.copy_place(definition, psi);
    domains_.define_psi(inst.results[0], psi);
    versions_.write(variable, Operand::reg(inst.results[0]));
    ++psis_;
    psi_arguments_ += psi_arguments(arguments_).size();
    return psi;
  }

  Function& function_;
  const ConstructOptions& options_;
  Names& names_;
  Versions& versions_;
  Domains domains_;
  Reg undef_;
  std::vector<Operand> arguments_;
  std::vector<InstId> inlined_;
  uint64_t psis_ = 0;
  uint64_t psi_arguments_ = 0;
  uint64_t folded_ = 0;
};

}  // namespace psi::ssa
