#include "scramble/equal.h"

#include <algorithm>

#include "psi/ir/views.h"

namespace psi::scramble {
namespace {

constexpr size_t kMaxMembers = 8;

}  // namespace

EqualValues::EqualValues(ScrambleContext& context, FunctionFacts& facts)
    : function_(context.function),
      facts_(facts),
      twins_(context.twins),
      class_(context.function.num_regs()),
      holds_(context.function.num_regs()),
      classes_(1) {
  for (Reg param : function_.params) enter(param, new_class(), Term::always());
  for (BlockId b : context.blocks()) {
    for (InstId id : function_.insts(b)) {
      if (function_.inst(id).results[0]) number(id);
    }
  }
}

void EqualValues::number(InstId id) {
  const Inst& inst = function_.inst(id);
  Reg result = inst.results[0];
  if (class_[result.index()] != 0) return;
  if (Reg twin = result.index() < twins_.size() ? twins_[result.index()] : Reg()) {
    // Two phis of a block may be in either order.
    if (facts_.definition(twin)) number(facts_.definition(twin));
    return enter(result, class_[twin.index()], Term::always());
  }
  Term holds = facts_.term(inst.guard);
  if (inst.is_copy() && copied(function_, inst).is_reg()) {
    Reg source = copied(function_, inst).reg();
    return enter(result, class_[source.index()], facts_.both(holds, holds_[source.index()]));
  }
  Key key;
  if (!find_key(id, holds, key)) {
    for (Reg r : inst.results) {
      if (r) enter(r, new_class(), Term::always());
    }
    return;
  }
  for (Reg r : inst.results) {
    if (!r) continue;
    key.push_back(r != result);
    auto [at, is_new] = by_key_.try_emplace(key, 0);
    if (is_new) at->second = new_class();
    key.pop_back();
    enter(r, at->second, holds);
  }
}

// The key of its computation, if there is one and it holds under one predicate.
bool EqualValues::find_key(InstId id, Term& holds, Key& key) {
  const Inst& inst = function_.inst(id);
  if (!inst.is_pure()) return false;
  key = {static_cast<uint32_t>(inst.op), static_cast<uint32_t>(inst.type), inst.kind, inst.extra, inst.flags};
  if (inst.is_phi()) {
    key.push_back(facts_.block(id).index());
    PhiEntries entries = phi_entries(function_, inst);
    std::vector<PhiEntry> sorted(entries.begin(), entries.end());
    std::ranges::sort(sorted, {}, &PhiEntry::block);
    for (auto [from, value] : sorted) {
      // A value from a back edge has no number yet.
      if (value.is_reg() && class_[value.reg().index()] == 0) return false;
      if (this->holds(value) != Term::always()) return false;
      add_value(value, key);
    }
    return true;
  }
  if (inst.is_psi()) {
    for (auto [guard, value] : psi_arguments(function_, inst)) {
      if (!facts_.contains(this->holds(value), facts_.term(guard))) return false;
      key.push_back(guard.raw());
      add_value(value, key);
    }
    return true;
  }
  for (Operand operand : function_.operands(inst)) {
    holds = facts_.both(holds, this->holds(operand));
    add_value(operand, key);
  }
  return true;
}

void EqualValues::add_value(Operand value, Key& key) const {
  key.push_back(static_cast<uint32_t>(value.kind()));
  key.push_back(value.reads_reg() ? class_[value.reg().index()] : value.raw());
}

void EqualValues::enter(Reg r, uint32_t number, Term holds) {
  class_[r.index()] = number;
  holds_[r.index()] = holds;
  if (classes_[number].size() < kMaxMembers) classes_[number].push_back(r);
}

uint32_t EqualValues::new_class() {
  classes_.emplace_back();
  return static_cast<uint32_t>(classes_.size()) - 1;
}

}  // namespace psi::scramble
