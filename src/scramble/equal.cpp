#include "scramble/equal.h"

#include <algorithm>

namespace psi::scrambling {
namespace {

constexpr size_t kMaxMembers = 8;

}  // namespace

EqualValues::EqualValues(Scene& scene, Knowledge& knowledge)
    : function_(scene.function),
      knowledge_(knowledge),
      twins_(scene.twins),
      class_(scene.function.num_regs()),
      holds_(scene.function.num_regs()),
      classes_(1) {
  for (Reg param : function_.params) enter(param, new_class(), Term::always());
  for (BlockId b : scene.blocks()) {
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
    // Of two phis of a block, either may come first.
    if (knowledge_.definition(twin)) number(knowledge_.definition(twin));
    return enter(result, class_[twin.index()], Term::always());
  }
  Term holds = knowledge_.term(inst.guard);
  if (inst.op == Opcode::Mov && function_.operands(id)[0].is_reg()) {
    Reg source = function_.operands(id)[0].reg();
    return enter(result, class_[source.index()], knowledge_.both(holds, holds_[source.index()]));
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

// What it computes, if that can be told and holds under one predicate.
bool EqualValues::find_key(InstId id, Term& holds, Key& key) {
  const Inst& inst = function_.inst(id);
  if (info(inst.op).effect != Effect::Pure) return false;
  std::span<const Operand> operands = function_.operands(id);
  key = {static_cast<uint32_t>(inst.op), static_cast<uint32_t>(inst.type), inst.kind, inst.extra, inst.flags};
  if (inst.is_phi()) {
    key.push_back(knowledge_.block(id).index());
    std::vector<std::pair<BlockId, Operand>> pairs;
    for (size_t i = 0; i < operands.size(); i += 2) pairs.emplace_back(operands[i].block(), operands[i + 1]);
    std::ranges::sort(pairs, {}, &std::pair<BlockId, Operand>::first);
    for (auto [from, value] : pairs) {
      // One that comes around a loop has no number yet.
      if (value.is_reg() && class_[value.reg().index()] == 0) return false;
      if (this->holds(value) != Term::always()) return false;
      add_value(value, key);
    }
    return true;
  }
  if (inst.is_psi()) {
    for (size_t i = 0; i < operands.size(); i += 2) {
      if (!knowledge_.contains(this->holds(operands[i + 1]), knowledge_.term(operands[i]))) return false;
      key.push_back(operands[i].raw());
      add_value(operands[i + 1], key);
    }
    return true;
  }
  for (Operand operand : operands) {
    holds = knowledge_.both(holds, this->holds(operand));
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

}  // namespace psi::scrambling
