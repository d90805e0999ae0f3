// The edges of a region: those to its own blocks carry paths on, the others become its terminators.
#include "predicated_ssa/region_conversion.h"

namespace psi::paths {

void RegionConversion::leave(BlockId b) {
  std::span<const InstId> listed = function_.terminators(b);
  const std::vector<InstId> terminators(listed.begin(), listed.end());
  for (const Path& path : paths_) {
    Node left = path.predicate;
    for (InstId id : terminators) {
      builder_.line(function_.line(id));
      const Inst inst = function_.inst(id);
      std::span<const Operand> operands = function_.operands(id);
      left = take(inst, std::vector(operands.begin(), operands.end()), b, path, left);
    }
  }
}

// What is left for the terminators behind it.
Node RegionConversion::take(const Inst& terminator, std::span<const Operand> operands, BlockId b,
                            const Path& path, Node left) {
  auto [taken, rest] = predicates_.split(left, value_on(path, terminator.guard.as_operand()));
  if (taken == kNever) return rest;
  switch (terminator.op) {
    case Opcode::Br:
      if (operands.size() == 1) {
        go(b, operands[0].block(), taken, path);
      } else {
        auto [on_true, on_false] = predicates_.split(taken, value_on(path, operands[0]));
        go(b, operands[1].block(), on_true, path);
        go(b, operands[2].block(), on_false, path);
      }
      break;
    case Opcode::Switch: {
      Operand value = value_on(path, operands[0]);
      for (size_t i = 2; i < operands.size(); i += 2) {
        Reg test = case_test(terminator.type, value, operands[i]);
        auto [equal, other] = predicates_.split(taken, Operand::reg(test));
        go(b, operands[i + 1].block(), equal, path);
        taken = other;
      }
      go(b, operands[1].block(), taken, path);
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
    std::span<const Operand> pairs = function_.operands(id);
    size_t i = 0;
    while (pairs[i] != Operand::block(from)) i += 2;
    values.push_back(value_on(path, pairs[i + 1]));
  }
  if (!is_inside(target) || target == entry_) {
    Exit& exit = exit_by(target, Opcode::Br, Operand());
    exit.predicates.push_back(predicate);
    exit.phis.push_back(std::move(values));
    return;
  }
  Path onward = {predicate, path.values};
  LivenessQuery& liveness = state_.analyses.liveness_query();
  onward.values.keep_if([&](Reg r) { return liveness.is_live_in(target, r); });
  for (size_t i = 0; i < phis.size(); ++i) {
    Reg phi = function_.inst(phis[i]).results[0];
    if (state_.analyses.uses().is_used(phi)) onward.values.set(phi, values[i]);
  }
  state_.arriving[target.index()].push_back(std::move(onward));
}

// A switch is a chain of decisions.
Reg RegionConversion::case_test(Type type, Operand value, Operand literal) {
  auto [at, is_new] = case_tests_.try_emplace(uint64_t{value.raw()} << 32 | literal.raw());
  if (is_new) {
    builder_.guard(Guard());
    at->second = builder_.cmp(Cond::eq, type, value, literal);
    predicates_.set_compare(at->second, function_.insts(code_).back());
  }
  return at->second;
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

// What is under a guard now was not before, so psis elsewhere may take it where that guard is not known to
// hold.
void RegionConversion::define_everywhere() {
  builder_.guard(Guard());
  for (Reg r : read_by_psis_) {
    Operand value = state_.replaced[r.index()];
    state_.replace(r, Operand::reg(builder_.op(Opcode::Mov, function_.type(r), {value})));
  }
}

// All edges to a block outside come from one block now.
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

// The last one is taken where no other is.
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

// Predicates that nobody asked for, and compares that a cmpp has taken over.
void RegionConversion::remove_unread() {
  std::vector<uint32_t> reads(function_.num_regs());
  auto count = [&](InstId id, uint32_t step) {
    const Inst& inst = function_.inst(id);
    if (inst.guard) reads[inst.guard.reg().index()] += step;
    for (Operand operand : function_.operands(inst)) {
      if (operand.reads_reg()) reads[operand.reg().index()] += step;
    }
  };
  std::span<const InstId> code = function_.insts(code_);
  for (InstId id : code) count(id, 1);
  for (size_t i = first_handed_; i < state_.handed.size(); ++i) {
    Operand value = state_.handed[i].value;
    if (value.reads_reg()) ++reads[value.reg().index()];
  }
  auto is_read = [&](Reg r) { return reads[r.index()] != 0 || state_.does_escape(r); };

  std::vector<InstId> kept;
  for (size_t i = code.size(); i-- > 0;) {
    Inst& inst = function_.inst(code[i]);
    bool is_predicate = inst.num_results() > 0 && inst.result_type() == Type::i1;
    bool may_go = is_predicate && info(inst.op).effect == Effect::Pure;
    uint32_t num_read = 0;
    for (uint32_t k = 0; k < inst.num_results(); ++k) num_read += is_read(inst.results[k]) ? 1 : 0;
    if (may_go && num_read == 0) {
      count(code[i], UINT32_MAX);  // one less
      continue;
    }
    bool is_decision = inst.op == Opcode::Cmpp && inst.results[1] && inst.action(0) == Action::un &&
                       inst.action(1) == Action::uc;
    if (is_decision && num_read == 1) {
      bool first = is_read(inst.results[0]);
      inst.results = {inst.results[first ? 0 : 1], Reg()};
      inst.set_actions(first ? Action::un : Action::uc, Action::none);
    }
    kept.push_back(code[i]);
  }
  std::ranges::reverse(kept);
  function_.set_insts(code_, kept);
}

}  // namespace psi::paths
