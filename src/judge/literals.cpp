// Literal operands are found from the literals of a program: where a meaning computes with them alone, the
// result is known and one operand is not. Its range is tried, so different operands must give different
// results.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "judge/judge.h"
#include "psi/ir/evaluate.h"

namespace psi::judge {
namespace {

constexpr uint64_t kMostTries = 4096;

class LiteralJudge {
 public:
  LiteralJudge(const TargetDescription& description, const MachineForm& form, target::Problems& problems)
      : d_(description), form_(form), body_(form.meaning.body), problems_(problems) {}

  void run() {
    inputs_.resize(body_.num_regs());
    for (uint32_t i = 0; i < form_.operands.size(); ++i) {
      if (form_.operands[i].kind == MachineOperand::Kind::Literal)
        inputs_[form_.meaning.operands[i].index()] = {i};
    }
    std::vector<InstId> users;
    for (InstId id : body_.insts(body_.entry())) {
      if (depends_on_literals(id)) continue;
      users.push_back(id);
    }
    // Read as they are.
    for (InstId id : users)
      for_each_input(id, [&](Reg r) {
        if (inputs_[r.index()].size() == 1 && !is_computed(r)) found_.insert(*inputs_[r.index()].begin());
      });
    for (InstId id : users)
      for_each_input(id, [&](Reg r) {
        if (is_computed(r)) judge(r);
      });
  }

 private:
  template <class Visit>
  void for_each_input(InstId id, Visit visit) {
    for (Operand operand : body_.operands(id)) {
      if (operand.is_reg()) visit(operand.reg());
    }
  }

  bool is_computed(Reg r) const {
    return !inputs_[r.index()].empty() &&
           std::ranges::find(form_.meaning.operands, r) == form_.meaning.operands.end();
  }

  // Does the instruction compute with literals alone? Notes which.
  bool depends_on_literals(InstId id) {
    const Inst& inst = body_.inst(id);
    if (!inst.computes() || inst.guard || inst.num_results() != 1) return false;
    std::set<uint32_t> inputs;
    for (Operand operand : body_.operands(id)) {
      if (operand.is_literal()) continue;
      if (!operand.is_reg() || inputs_[operand.reg().index()].empty()) return false;
      inputs.insert(inputs_[operand.reg().index()].begin(), inputs_[operand.reg().index()].end());
    }
    Reg result = inst.results[0];
    bool is_result = result == form_.meaning.results[0] || result == form_.meaning.results[1];
    if (inputs.empty() || is_result) return false;
    inputs_[result.index()] = std::move(inputs);
    return true;
  }

  void judge(Reg value) {
    std::vector<uint32_t> unknown;
    for (uint32_t i : inputs_[value.index()]) {
      if (!found_.contains(i)) unknown.push_back(i);
    }
    const InstructionEntry& entry = d_.entries[form_.entry];
    if (unknown.size() > 1) {
      problems_.error(entry.where,
                      fmt::format("'{}': two unknowns in one literal, %{} and %{}", entry.name,
                                  form_.operands[unknown[0]].name, form_.operands[unknown[1]].name));
      return;
    }
    if (unknown.empty()) return;
    try_range(value, unknown.front());
  }

  void try_range(Reg value, uint32_t operand) {
    const InstructionEntry& entry = d_.entries[form_.entry];
    const MachineOperand& unknown = form_.operands[operand];
    const LiteralAlternative& range = unknown.literals.front();
    uint64_t count =
        (static_cast<uint64_t>(range.max) - static_cast<uint64_t>(range.min)) / range.multiple + 1;
    if (count > kMostTries || count == 0) {
      problems_.error(entry.where, fmt::format("'{}': %{} cannot be found: its range has more than {} values",
                                               entry.name, unknown.name, kMostTries));
      return;
    }
    std::map<uint64_t, int64_t> seen;
    for (uint64_t i = 0; i < count; ++i) {
      int64_t tried = range.min + static_cast<int64_t>(i * range.multiple);
      std::optional<Value> result = evaluate_at(value, operand, static_cast<uint64_t>(tried));
      if (!result || result->undef) continue;
      auto [before, is_new] = seen.emplace(result->bits, tried);
      if (is_new) continue;
      problems_.error(entry.where, fmt::format("'{}': %{} cannot be found: {} and {} give the same literal",
                                               entry.name, unknown.name, before->second, tried));
      return;
    }
  }

  // The other literals that it depends on are known: any value serves.
  std::optional<Value> evaluate_at(Reg wanted, uint32_t operand, uint64_t tried) {
    std::vector<std::optional<Value>> values(body_.num_regs());
    for (uint32_t i = 0; i < form_.operands.size(); ++i) {
      const MachineOperand& one = form_.operands[i];
      if (one.kind != MachineOperand::Kind::Literal) continue;
      uint64_t bits = i == operand ? tried : static_cast<uint64_t>(one.literals.front().min);
      values[form_.meaning.operands[i].index()] = Value{bits & value_mask(one.type), false};
    }
    for (InstId id : body_.insts(body_.entry())) {
      const Inst& inst = body_.inst(id);
      if (inst.num_results() != 1 || inputs_[inst.results[0].index()].empty()) continue;
      std::vector<Value> operands;
      for (Operand one : body_.operands(id)) {
        std::optional<Value> known =
            one.is_reg() ? values[one.reg().index()] : std::optional(Value{body_.literal_bits(one), false});
        if (!known) return std::nullopt;
        operands.push_back(*known);
      }
      values[inst.results[0].index()] = evaluate(inst, operands);
      if (inst.results[0] == wanted) return values[wanted.index()];
    }
    return std::nullopt;
  }

  const TargetDescription& d_;
  const MachineForm& form_;
  const Function& body_;
  target::Problems& problems_;
  std::vector<std::set<uint32_t>> inputs_;  // by register: the literal operands that it is computed from
  std::set<uint32_t> found_;
};

}  // namespace

void judge_literals(const TargetDescription& description, target::Problems& problems) {
  for (const MachineForm& form : description.instructions->forms()) {
    if (is_selectable(form) && form.meaning.body.num_blocks() > 0)
      LiteralJudge(description, form, problems).run();
  }
}

}  // namespace psi::judge
