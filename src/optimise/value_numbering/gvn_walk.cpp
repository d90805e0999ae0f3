#include "optimise/value_numbering/gvn_walk.h"

#include "cfg/replaced.h"
#include "cfg/terminators.h"
#include "optimise/value_numbering/value_walk.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"

namespace psi::optimise {

GvnWalk::GvnWalk(PassContext& context, const GvnOptions& options, const ValueNumbering* numbers)
    : context_(context),
      options_(options),
      numbers_(numbers),
      function_(context.function),
      analyses_(context.analyses),
      guards_(analyses_.get<GuardFacts>()),
      values_(function_, analyses_, guards_),
      alias_(context.module, function_, analyses_.get<Uses>(), analyses_.get<Order>()),
      loads_(context.module, function_, analyses_, guards_, alias_, values_),
      keys_(function_, &alias_),
      table_(function_.num_insts() / 4),
      is_dead_(function_.num_insts()) {}

bool GvnWalk::run() {
  walk();
  if (!changed_ && values_.substitution().empty()) return false;
  // The facts about guards are older than the changes.
  finds_more_ |=
      values_.is_late() || guards_.any() || loads_.added().num_phis() > 0 || loads_.added().num_at_ends() > 0;
  finish();
  return finds_more_;
}

void GvnWalk::walk() {
  struct Scope {
    size_t table;
    size_t values;
  };
  std::vector<Scope> scopes;
  walk_dominators(
      function_, analyses_,
      [&](BlockId b) {
        scopes.push_back({table_.mark(), values_.mark()});
        visit(b);
      },
      [&] {
        table_.forget_to(scopes.back().table);
        values_.forget_to(scopes.back().values);
        scopes.pop_back();
      });
}

void GvnWalk::visit(BlockId b) {
  values_.visit(b);
  std::span<const BlockId> predecessors = analyses_.get<Cfg>().predecessors(b);
  if (predecessors.size() == 1) values_.take_edge(predecessors[0], b);
  for (InstId id : function_.insts(b)) visit(id);
  if (options_.branches) rewrite_phi_entries(b);
}

void GvnWalk::visit(InstId id) {
  const Inst& inst = function_.inst(id);
  if (inst.is_phi()) return visit_phi(id);
  if (inst.is_psi()) {
    if (!rewrite_psi(id)) return;
  } else if (!rewrite_operands(id)) {
    return;
  }
  if (inst.op == Opcode::PtrAdd || inst.op == Opcode::PtrIndex) alias_.update(id);
  if (!inst.results[0] || inst.op == Opcode::Slot) return;
  if (inst.op == Opcode::Load) return visit_load(id);
  if (inst.op == Opcode::Call) return visit_call(id);
  if (!inst.computes()) return;
  number(id);
}

void GvnWalk::visit_load(InstId id) {
  if (!options_.loads) return;
  // Finding it may add instructions.
  Operand value = loads_.find(id);
  if (!value.is_none()) return replace(id, function_.inst(id).results[0], value, loads_replaced_);
  // It may have become a conversion.
  if (function_.inst(id).op == Opcode::Load) return;
  changed_ = true;
  ++loads_replaced_;
  number(id);
}

void GvnWalk::visit_call(InstId id) {
  FunctionAttributes attributes = promises(context_.module, function_, id);
  if (attributes.readnone) return number(id);
  if (!attributes.readonly || !options_.loads) return;
  Operand value = loads_.find_call(id);
  if (!value.is_none()) replace(id, function_.inst(id).results[0], value, calls_replaced_);
}

void GvnWalk::finish() {
  loads_.added().apply(function_);
  if (values_.substitution().empty()) {
    fold_branches();
  } else if (values_.substitution().apply(analyses_, context_.counters) == Keeps::Nothing) {
    finds_more_ = true;
  }
  cfg::remove_replaced_and_calls(function_, values_.substitution(), is_dead_);
  analyses_.drop(Keeps::ControlFlow);
  count();
}

void GvnWalk::count() {
  auto add = [&](std::string_view name, uint64_t amount) {
    if (amount) context_.counters.add(name, amount);
  };
  add("values replaced", replaced_);
  add("values folded", folded_);
  add("loads replaced", loads_replaced_);
  add("calls replaced", calls_replaced_);
  add("phis added", loads_.added().num_phis());
  add("loads added", loads_.added().num_at_ends());
  add("instructions never executed removed", never_executed_);
}

void GvnWalk::fold_branches() {
  cfg::TerminatorFolding terminators(function_);
  bool folded = false;
  for (BlockId b : function_.layout()) folded |= terminators.fold(b);
  terminators.finish();
  analyses_.drop(folded ? Keeps::Nothing : Keeps::ControlFlow);
  if (!folded) return;
  finds_more_ = true;
  dce_unreachable(function_, analyses_, context_.counters);
  analyses_.drop(Keeps::Nothing);
}

}  // namespace psi::optimise
