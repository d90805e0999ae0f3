// The edges of a region: edges to its own blocks forward paths, the others become its terminators.
#include "predication/predicated_ssa/region_conversion.h"
#include "psi/analysis/uses.h"
#include "psi/ir/views.h"
#include "psi/live/liveness.h"

namespace psi::predication {

void RegionConversion::leave(BlockId b) {
  std::span<const InstId> listed = function_.terminators(b);
  const std::vector<InstId> terminators(listed.begin(), listed.end());
  for (const Path& path : paths_) {
    Node left = path.predicate;
    for (InstId id : terminators) {
      builder_.place_of(id);
      const Inst inst = function_.inst(id);
      std::span<const Operand> operands = function_.operands(id);
      left = convert_terminator(inst, std::vector(operands.begin(), operands.end()), b, path, left);
    }
  }
}

// The node for the following terminators.
Node RegionConversion::convert_terminator(const Inst& terminator, std::span<const Operand> operands,
                                          BlockId b, const Path& path, Node left) {
  auto [taken, rest] = predicates_.split(left, value_on(path, terminator.guard.as_operand()));
  if (taken == kNever) return rest;
  switch (terminator.op) {
    case Opcode::Br:
      if (terminator.is_jump()) {
        go(b, operands[0].block(), taken, path);
      } else {
        BranchView branch = as_branch(operands);
        auto [on_true, on_false] = predicates_.split(taken, value_on(path, branch.condition));
        go(b, branch.then, on_true, path);
        go(b, branch.otherwise, on_false, path);
      }
      break;
    case Opcode::Switch: {
      SwitchView choice = as_switch(operands);
      Operand value = value_on(path, choice.value);
      for (auto [literal, target] : choice.cases) {
        Reg test = predicates_.case_test(terminator.type, value, literal);
        auto [equal, other] = predicates_.split(taken, Operand::reg(test));
        go(b, target, equal, path);
        taken = other;
      }
      go(b, choice.otherwise, taken, path);
      break;
    }
    default:
      exit_by(BlockId(), terminator.op, operands.empty() ? Operand() : value_on(path, operands[0]))
          .predicates.push_back(taken);
  }
  return rest;
}

void RegionConversion::go(BlockId from, BlockId target, Node predicate, const Path& path) {
  if (predicate == kNever) return;
  std::vector<InstId> phis = phis_of(target);
  std::vector<Operand> values;
  for (InstId id : phis) {
    values.push_back(value_on(path, value_from(phi_entries(function_, id), from)));
  }
  if (!is_inside(target) || target == entry_) {
    Exit& exit = exit_by(target, Opcode::Br, Operand());
    exit.predicates.push_back(predicate);
    exit.phis.push_back(std::move(values));
    return;
  }
  Path onward = {predicate, path.values};
  LivenessQuery& liveness = state_.analyses.get<LivenessQuery>();
  onward.values.keep_if([&](Reg r) { return liveness.is_live_in(target, r); });
  for (size_t i = 0; i < phis.size(); ++i) {
    Reg phi = function_.inst(phis[i]).results[0];
    if (state_.analyses.get<Uses>().is_used(phi)) onward.values.set(phi, values[i]);
  }
  state_.arriving[target.index()].push_back(std::move(onward));
}

RegionConversion::Exit& RegionConversion::exit_by(BlockId target, Opcode op, Operand value) {
  uint64_t key = uint64_t{static_cast<uint8_t>(op)} << 32 | (target ? target.index() : value.raw());
  auto [at, is_new] = exit_of_.try_emplace(key, exits_.size());
  if (is_new) exits_.push_back({.target = target, .op = op, .value = value, .predicates = {}, .phis = {}});
  return exits_[at->second];
}

void RegionConversion::merge_escaping() {
  for (auto& [r, versions] : escaping_) {
    state_.replace(r, total(merged(function_.type(r), std::move(versions), Reg(), r)));
  }
}

// Newly guarded definitions may be taken by psis elsewhere where the guard is not known to hold.
void RegionConversion::define_everywhere() {
  builder_.guard(Guard());
  for (Reg r : read_by_psis_) {
    Operand value = state_.replaced[r.index()];
    state_.replace(r, Operand::reg(builder_.op(Opcode::Mov, function_.type(r), {value})));
  }
}

// All edges to an outside block now come from one block.
void RegionConversion::hand_over_phis() {
  for (const Exit& exit : exits_) {
    if (!exit.target) continue;
    std::vector<InstId> phis = phis_of(exit.target);
    for (size_t k = 0; k < phis.size(); ++k) {
      std::vector<Version> versions;
      for (size_t i = 0; i < exit.phis.size(); ++i) versions.push_back({exit.predicates[i], exit.phis[i][k]});
      Reg phi = function_.inst(phis[k]).results[0];
      Operand value = merged(function_.type(phi), std::move(versions), Reg(), phi);
      state_.handed.push_back({phis[k], entry_, value});
    }
  }
}

// The last exit is taken if no other is.
void RegionConversion::emit_exits() {
  std::vector<Guard> guards;
  for (size_t i = 0; i + 1 < exits_.size(); ++i) {
    guards.emplace_back(predicates_.operand(predicates_.any(std::move(exits_[i].predicates))));
  }
  guards.emplace_back();
  for (size_t i = 0; i < exits_.size(); ++i) {
    builder_.guard(guards[i]);
    if (exits_[i].target) {
      builder_.br(exits_[i].target);
    } else if (exits_[i].op == Opcode::Ret) {
      builder_.ret(exits_[i].value);
    } else {
      builder_.unreachable();
    }
  }
}

}  // namespace psi::predication
