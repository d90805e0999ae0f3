#include "optimise/dead_code/live_code.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"

namespace psi::optimise {

LiveCode::LiveCode(const Module& module, const Function& function, Analyses& analyses)
    : module_(module),
      function_(function),
      analyses_(analyses),
      uses_(analyses.get<Uses>()),
      branches_(analyses.get<Cfg>(), analyses.get<PostDominators>()),
      is_live_(function.num_insts()),
      is_read_(function.num_regs()),
      is_live_block_(function.num_blocks()),
      slot_(function.num_regs()),
      last_write_(function.num_regs()),
      earlier_write_(function.num_insts()) {
  find_slots();
  find_roots();
  while (!pending_.empty()) {
    InstId id = pending_.back();
    pending_.pop_back();
    visit(id);
  }
}

// Definitions come before what reads them.
void LiveCode::find_slots() {
  for (BlockId b : analyses_.get<Dominators>().preorder()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.op == Opcode::Slot) slot_[inst.results[0].index()] = inst.results[0];
      if (inst.op == Opcode::Mov || inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex) {
        Operand base = function_.operands(inst)[0];
        if (base.is_reg()) slot_[inst.results[0].index()] = slot_[base.reg().index()];
      }
    }
  }
}

// None if the instruction does more than write to a slot.
Reg LiveCode::written_slot(const Inst& inst) const {
  if (inst.has_flag(Inst::kVolatile)) return Reg();
  Operand to = written_address(function_, inst);
  return to.is_reg() ? slot_[to.reg().index()] : Reg();
}

bool LiveCode::is_root(const Inst& inst) const {
  if (inst.has_flag(Inst::kVolatile)) return true;
  if (inst.op == Opcode::Call) {
    Operand callee = as_call(function_, inst).callee;
    if (!callee.is_symbol() || module_.kind(callee.symbol()) != SymbolKind::Function) return true;
    const FunctionAttributes& promises = module_.function(callee.symbol()).attributes;
    return promises.noreturn || (!promises.readnone && !promises.readonly);
  }
  return inst.writes_memory() && inst.op != Opcode::Slot;
}

void LiveCode::find_roots() {
  const Order& order = analyses_.get<Order>();
  for (BlockId b : order.reverse_post_order()) {
    for (InstId id : function_.insts(b)) {
      const Inst& inst = function_.inst(id);
      if (Reg slot = written_slot(inst)) {
        earlier_write_[id.index()] = last_write_[slot.index()];
        last_write_[slot.index()] = id;
        // The slot may have become live by now.
        if (is_read_[slot.index()]) mark(id);
      } else if (inst.op == Opcode::Ret || inst.op == Opcode::Unreachable) {
        mark_terminators(b);
      } else if (is_root(inst)) {
        mark(id);
      }
    }
    for (BlockId to : analyses_.get<Cfg>().successors(b)) {
      if (order.number(to) <= order.number(b)) mark_terminators(b);
    }
  }
  // An infinite loop counts as an effect.
  for (BlockId b : analyses_.get<PostDominators>().exits()) mark_terminators(b);
}

void LiveCode::mark(InstId id) {
  uint8_t& is_live = is_live_[id.index()];
  if (is_live) return;
  is_live = 1;
  pending_.push_back(id);
}

void LiveCode::mark(BlockId b) {
  uint8_t& is_live = is_live_block_[b.index()];
  if (is_live) return;
  is_live = 1;
  branches_.take(b, [&](BlockId branch) { mark_terminators(branch); });
}

void LiveCode::mark_terminators(BlockId b) {
  for (InstId id : function_.terminators(b)) mark(id);
}

void LiveCode::read(Operand operand) {
  while (operand.reads_reg() && !is_read_[operand.reg().index()]) {
    Reg r = operand.reg();
    is_read_[r.index()] = 1;
    InstId definition = uses_.definition(r);
    if (!definition) return;
    mark(definition);
    const Inst& inst = function_.inst(definition);
    if (inst.op == Opcode::Slot) {
      for (InstId id = last_write_[r.index()]; id; id = earlier_write_[id.index()]) mark(id);
    }
    if (inst.op != Opcode::Cmpp) return;
    // The old value is for the one target that replaces it.
    int target = inst.results[0] == r ? 0 : 1;
    operand = old_value(function_, inst, target);
  }
}

void LiveCode::visit(InstId id) {
  const Inst& inst = function_.inst(id);
  BlockId b = uses_.block(id);
  mark(b);
  if (inst.guard) read(inst.guard.as_operand());
  std::span<const Operand> operands = function_.operands(inst);
  if (inst.op == Opcode::Cmpp) operands = operands.first(3);
  for (Operand operand : operands) {
    read(operand);
    if (inst.is_phi() && operand.is_block()) mark(operand.block());
  }
}

}  // namespace psi::optimise
