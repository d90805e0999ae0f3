#include "optimise/algebra/simplify_graph.h"

#include <array>
#include <utility>

#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi::optimise {

SimplifyGraph::SimplifyGraph(Function& function, Analyses& analyses)
    : function_(function),
      facts_(analyses.get<GuardFacts>()),
      substitution_(function),
      num_old_regs_(function.num_regs()) {
  // The terms of guards are those of the function as it is now.
  if (facts_.any()) facts_.predicates();
  first_.resize(function.num_blocks());
  add_records();
  waiting_.reserve(function.num_insts());
  users_.reserve(size_t{2} * function.num_insts());
  for (BlockId b : analyses.get<Order>().reverse_post_order()) {
    InstId last;
    for (InstId id : function.insts(b)) {
      block_[id.index()] = b;
      previous_[id.index()] = last;
      (last ? next_[last.index()] : first_[b.index()]) = id;
      last = id;
      for (Reg result : function.inst(id).results) {
        if (result) definition_[result.index()] = id;
      }
      look_at(id);
    }
  }
  for (InstId id : waiting_) count_reads(id);
  if (facts_.any()) find_guarding();
}

void SimplifyGraph::find_guarding() {
  is_guarding_.resize(num_old_regs_);
  std::vector<Reg> work;
  auto mark = [&](Operand operand) {
    if (!operand.reads_reg() || function_.type(operand.reg()) != Type::i1 ||
        is_guarding_[operand.reg().index()])
      return;
    is_guarding_[operand.reg().index()] = true;
    work.push_back(operand.reg());
  };
  for (InstId id : waiting_) {
    const Inst& inst = function_.inst(id);
    if (inst.guard) mark(inst.guard.as_operand());
    if (!inst.is_psi()) continue;
    for (PsiArgument argument : psi_arguments(function_, inst)) mark(argument.guard);
  }
  while (!work.empty()) {
    InstId id = definition_[work.back().index()];
    work.pop_back();
    if (!id) continue;
    for (Operand operand : std::as_const(function_).operands(id)) mark(operand);
  }
}

void SimplifyGraph::add_records() {
  definition_.resize(function_.num_regs());
  num_uses_.resize(function_.num_regs());
  first_user_.resize(function_.num_regs(), kNone);
  block_.resize(function_.num_insts());
  next_.resize(function_.num_insts());
  previous_.resize(function_.num_insts());
  is_waiting_.resize(function_.num_insts());
}

void SimplifyGraph::add_user(Reg r, InstId user) {
  users_.push_back({user, first_user_[r.index()]});
  first_user_[r.index()] = static_cast<uint32_t>(users_.size() - 1);
}

void SimplifyGraph::count_reads(InstId id) {
  auto count = [&](Operand operand) {
    if (!operand.reads_reg()) return;
    ++num_uses_[operand.reg().index()];
    add_user(operand.reg(), id);
  };
  if (function_.inst(id).guard) count(function_.inst(id).guard.as_operand());
  for (Operand operand : std::as_const(function_).operands(id)) count(operand);
}

// --- Worklist --------------------------------------------------------------------------

void SimplifyGraph::look_at(InstId id) {
  if (is_waiting_[id.index()] || is_dead(id)) return;
  is_waiting_[id.index()] = 1;
  waiting_.push_back(id);
}

InstId SimplifyGraph::next() {
  remove_dying();
  while (num_looked_at_ < waiting_.size()) {
    InstId id = waiting_[num_looked_at_++];
    is_waiting_[id.index()] = 0;
    // The first pass is over: little work follows.
    if (num_looked_at_ > 4096 && num_looked_at_ * 2 > waiting_.size()) {
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(num_looked_at_));
      num_looked_at_ = 0;
    }
    if (is_dead(id)) continue;
    if (is_superfluous(id)) {
      remove(id);
      remove_dying();
      continue;
    }
    resolve(id);
    return id;
  }
  return InstId();
}

void SimplifyGraph::look_at_users(Reg r) {
  for (uint32_t i = first_user_[r.index()]; i != kNone; i = users_[i].next) look_at(users_[i].inst);
}

// The substitution handles known guards, inputs, branches and callees.
void SimplifyGraph::resolve(InstId id) {
  if (substitution_.empty()) return;
  Inst& inst = function_.inst(id);
  if (inst.guard) {
    Operand guard = value(inst.guard.as_operand());
    if (guard.reads_reg()) inst.guard = Guard(guard);
  }
  std::span<Operand> operands = function_.operands(id);
  bool registers_only = inst.op == Opcode::Cmpp || inst.is_terminator();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].reads_reg()) continue;
    Operand by = value(operands[i]);
    if (by.reads_reg() || (!registers_only && !(inst.is_psi() && i % 2 == 0))) operands[i] = by;
  }
}

// --- Changes ------------------------------------------------------------------------------------------

// The type of a called function is its own, so a call through a register stays one.
bool SimplifyGraph::is_called(Reg r) const {
  if (function_.type(r) != Type::ptr) return false;
  for (uint32_t i = first_user_[r.index()]; i != kNone; i = users_[i].next) {
    InstId user = users_[i].inst;
    if (is_dead(user) || function_.inst(user).op != Opcode::Call) continue;
    if (std::as_const(function_).operands(user)[0] == Operand::reg(r)) return true;
  }
  return false;
}

bool SimplifyGraph::psis_allow(Reg r, Operand by) {
  if (!facts_.any() || !by.is_reg()) return true;
  InstId definition = definition_[r.index()];
  bool same_guard = false;
  if (InstId other = this->definition(by)) {
    same_guard =
        !function_.inst(other).is_psi() && function_.inst(other).guard == function_.inst(definition).guard;
  }
  if (same_guard && !function_.inst(definition).is_psi()) return true;
  if (r.index() >= num_old_regs_ || by.reg().index() >= num_old_regs_) return false;
  Term domain = facts_.domain(by);
  for (uint32_t i = first_user_[r.index()]; i != kNone; i = users_[i].next) {
    InstId user = users_[i].inst;
    if (is_dead(user) || !function_.inst(user).is_psi()) continue;
    bool is_first = true;
    for (PsiArgument argument : psi_arguments(function_, user)) {
      Operand guard = argument.guard;
      // A guard defined in fewer executions may have been contained in domains for that reason.
      if (guard.reads_reg() && guard.reg() == r && function_.inst(definition).guard) return false;
      if (std::exchange(is_first, false) || value(argument.value) != Operand::reg(r)) continue;
      if (guard.reads_reg() && guard.reg().index() >= num_old_regs_) return false;
      if (!facts_.contains(domain, facts_.term(guard))) return false;
    }
  }
  return true;
}

bool SimplifyGraph::replace(Reg r, Operand by) {
  by = value(by);
  if (by == Operand::reg(r) || (!by.is_reg() && is_called(r)) || !psis_allow(r, by)) return false;
  changed_ = true;
  look_at_users(r);
  if (by.is_reg()) {
    num_uses_[by.reg().index()] += num_uses_[r.index()];
    for (uint32_t i = first_user_[r.index()]; i != kNone; i = users_[i].next)
      add_user(by.reg(), users_[i].inst);
  }
  num_uses_[r.index()] = 0;
  first_user_[r.index()] = kNone;
  substitution_.set(r, by);
  remove(definition_[r.index()]);
  return true;
}

void SimplifyGraph::rewrite(InstId id, Inst inst, std::span<const Operand> operands) {
  changed_ = true;
  std::span<const Operand> before = std::as_const(function_).operands(id);
  old_operands_.assign(before.begin(), before.end());
  const Inst old = function_.inst(id);
  inst.guard = old.guard;
  inst.results = old.results;
  inst.count = old.count;
  inst.inline_operands = old.inline_operands;
  // What was measured holds as long as the same condition decides.
  if (old.op == Opcode::Select && inst.op == old.op && operands[0] == old_operands_[0]) {
    inst.extra = old.extra;
  } else if (old.op == Opcode::Select) {
    function_.set_edge_counts(id, {});
  }
  function_.inst(id) = inst;
  function_.set_operands(id, operands);
  resolve(id);
  for (Operand operand : std::as_const(function_).operands(id)) {
    operand = value(operand);
    if (!operand.reads_reg()) continue;
    ++num_uses_[operand.reg().index()];
    add_user(operand.reg(), id);
  }
  for (Operand operand : old_operands_) forget_read(operand);
  look_at(id);
  for (Reg result : old.results) {
    if (result) look_at_users(result);
  }
}

Reg SimplifyGraph::insert_before(InstId where, Inst inst, std::span<const Operand> operands) {
  changed_ = true;
  Reg result = function_.add_reg(inst.result_type());
  inst.results[0] = result;
  InstId id = function_.add_inst(inst, operands);
  function_.copy_place(where, id);
  add_records();
  definition_[result.index()] = id;
  link_before(where, id);
  count_reads(id);
  look_at(id);
  return result;
}

void SimplifyGraph::link_before(InstId where, InstId id) {
  BlockId b = block(where);
  block_[id.index()] = b;
  InstId before = previous_[where.index()];
  (before ? next_[before.index()] : first_[b.index()]) = id;
  previous_[id.index()] = before;
  next_[id.index()] = where;
  previous_[where.index()] = id;
}

void SimplifyGraph::sink_below_phi(InstId phi, Inst operation, std::span<const Operand> arguments,
                                   Operand fixed) {
  Inst merge = function_.inst(phi);
  merge.type = function_.type(arguments[1]);
  Operand merged = Operand::reg(insert_before(phi, merge, arguments));
  // The phi's record becomes the operation, and moves behind the phis.
  std::array<Operand, 2> operands = {merged, fixed};
  rewrite(phi, operation, std::span(operands).first(operation.count));
  InstId before = previous_[phi.index()], after = next_[phi.index()];
  (before ? next_[before.index()] : first_[block(phi).index()]) = after;
  previous_[after.index()] = before;
  while (function_.inst(after).is_phi()) after = next_[after.index()];
  link_before(after, phi);
}

void SimplifyGraph::set_guard(InstId id, Guard guard) {
  changed_ = true;
  Operand old = function_.inst(id).guard.as_operand();
  function_.inst(id).guard = guard;
  if (guard) {
    ++num_uses_[guard.reg().index()];
    add_user(guard.reg(), id);
  }
  forget_read(old);
  look_at(id);
}

bool SimplifyGraph::is_superfluous(InstId id) const {
  const Inst& inst = function_.inst(id);
  if (!inst.results[0]) return false;
  for (Reg result : inst.results) {
    if (result && num_uses_[result.index()]) return false;
  }
  switch (inst.effect()) {
    case Effect::Pure:
    case Effect::Trap:
      return true;
    case Effect::Read:
      return !inst.has_flag(Inst::kVolatile);
    default:
      return false;
  }
}

void SimplifyGraph::forget_read(Operand operand) {
  operand = value(operand);
  if (!operand.reads_reg()) return;
  uint32_t& count = num_uses_[operand.reg().index()];
  --count;
  InstId definition = definition_[operand.reg().index()];
  if (!definition || is_dead(definition)) return;
  if (count == 0) {
    dying_.push_back(definition);
  } else if (count == 1) {
    // A rule may have required a single reader.
    look_at_users(operand.reg());
  }
}

void SimplifyGraph::remove(InstId id) {
  changed_ = true;
  ++num_removed_;
  InstId before = previous_[id.index()], after = next_[id.index()];
  (before ? next_[before.index()] : first_[block(id).index()]) = after;
  if (after) previous_[after.index()] = before;
  block_[id.index()] = BlockId();
  if (function_.inst(id).guard) forget_read(function_.inst(id).guard.as_operand());
  for (Operand operand : std::as_const(function_).operands(id)) forget_read(operand);
}

void SimplifyGraph::remove_dying() {
  while (!dying_.empty()) {
    InstId id = dying_.back();
    dying_.pop_back();
    if (!is_dead(id) && is_superfluous(id)) remove(id);
  }
}

void SimplifyGraph::list_blocks() {
  std::vector<InstId> list;
  for (BlockId b : function_.layout()) {
    list.clear();
    for (InstId id = first_[b.index()]; id; id = next_[id.index()]) list.push_back(id);
    function_.set_insts(b, list);
  }
}

Keeps SimplifyGraph::finish(Analyses& analyses, Counters& counters) {
  remove_dying();
  if (!changed_) return Keeps::All;
  list_blocks();
  analyses.drop(Keeps::ControlFlow);
  return substitution_.apply(analyses, counters) == Keeps::Nothing ? Keeps::Nothing : Keeps::ControlFlow;
}

}  // namespace psi::optimise
