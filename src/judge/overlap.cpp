// Instructions that are never selected: another one means the same, takes all that they take, and costs no
// more.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "judge/judge.h"

namespace psi::judge {
namespace {

// A form's meaning without names: instructions whose registers are numbered as they appear.
std::string shape_of(const MachineForm& form) {
  const Function& body = form.meaning.body;
  std::vector<uint32_t> numbers(body.num_regs(), kNone);
  uint32_t next = 0;
  auto number = [&](Reg r) {
    if (numbers[r.index()] == kNone) numbers[r.index()] = next++;
    return numbers[r.index()];
  };
  std::string shape =
      fmt::format("{}{}{}:", form.variable_operands, form.variable_result, form.operands.size());
  for (InstId id : body.insts(body.entry())) {
    const Inst& inst = body.inst(id);
    shape += fmt::format("{}.{}.{}.{}.{}(", static_cast<int>(inst.op), static_cast<int>(inst.type), inst.kind,
                         inst.extra, static_cast<uint32_t>(inst.flags));
    if (inst.guard)
      shape += fmt::format("{}{}?", inst.guard.is_negated() ? "!" : "", number(inst.guard.reg()));
    for (Operand operand : body.operands(id)) {
      if (operand.reads_reg()) {
        shape += fmt::format("{}%{},", operand.is_negated() ? "!" : "", number(operand.reg()));
      } else if (operand.is_literal()) {
        shape += fmt::format("{},", body.literal_bits(operand));
      } else {
        shape += "@,";
      }
    }
    for (Reg r : inst.results) {
      if (r) shape += fmt::format("={}", number(r));
    }
    shape += ')';
  }
  for (Reg r : form.meaning.results) {
    if (r) shape += fmt::format("->{}", number(r));
  }
  // Which operand is which.
  for (Reg r : form.meaning.operands) shape += r ? fmt::format(" {}", numbers[r.index()]) : " @";
  return shape;
}

class OverlapJudge {
 public:
  OverlapJudge(const TargetDescription& description, target::Problems& problems)
      : d_(description), set_(*description.instructions), problems_(problems) {}

  void run() {
    std::map<std::string, std::vector<uint32_t>> by_shape;
    for (uint32_t i = 0; i < set_.num_forms(); ++i) {
      const MachineForm& form = set_.form(i);
      if (is_selectable(form) && !form.meaning.body.insts(form.meaning.body.entry()).empty()) {
        by_shape[shape_of(form)].push_back(i);
      }
    }
    std::vector<uint32_t> beaten_by(set_.num_forms(), kNone);
    for (const auto& [shape, forms] : by_shape) {
      for (uint32_t form : forms) {
        for (uint32_t other : forms) {
          if (other != form && beats(other, form)) beaten_by[form] = other;
        }
      }
    }
    for (const InstructionEntry& entry : d_.entries) {
      if (entry.num_forms == 0) continue;
      uint32_t first = beaten_by[entry.first_form];
      bool all = true;
      for (uint32_t i = 0; i < entry.num_forms; ++i) all &= beaten_by[entry.first_form + i] != kNone;
      if (!all) continue;
      problems_.warning(entry.where,
                        fmt::format("'{}' is never selected: '{}' means the same, takes {} and costs no more",
                                    entry.name, d_.entries[set_.form(first).entry].name,
                                    takes_all(entry.first_form, first) ? "as much" : "more"));
    }
  }

 private:
  std::tuple<uint32_t, uint32_t> cost(uint32_t index) const {
    const MachineForm& form = set_.form(index);
    const InstructionEntry& entry = d_.entries[form.entry];
    return {entry.cost ? entry.cost : form.words, d_.scheduling_classes[form.scheduling_class].latency};
  }

  // `one` is chosen wherever `other` fits.
  bool beats(uint32_t one, uint32_t other) const {
    if (set_.form(one).entry == set_.form(other).entry || !takes_all(one, other)) return false;
    const auto& [words, latency] = cost(one);
    const auto& [other_words, other_latency] = cost(other);
    if (words > other_words || latency > other_latency) return false;
    // Of two that are the same the first is chosen.
    return words < other_words || latency < other_latency || one < other;
  }

  // Does `one` take all that `other` takes?
  bool takes_all(uint32_t one, uint32_t other) const {
    const MachineForm& a = set_.form(one);
    const MachineForm& b = set_.form(other);
    if ((b.takes_guard && !a.takes_guard) || (b.takes_negated_guard && !a.takes_negated_guard)) return false;
    if (d_.entries[b.entry].dismissible && !d_.entries[a.entry].dismissible) return false;
    if (d_.entries[a.entry].rotates != d_.entries[b.entry].rotates) return false;
    for (size_t i = 0; i < a.operands.size(); ++i) {
      const MachineOperand& x = a.operands[i];
      const MachineOperand& y = b.operands[i];
      if (x.kind != y.kind || d_.forms[one].kinds[i].forwarded != d_.forms[other].kinds[i].forwarded)
        return false;
      if (x.kind == MachineOperand::Kind::Register && !contains(d_, x.register_class, y.register_class))
        return false;
      if (x.tied_result >= 0 && y.tied_result < 0) return false;
      if (x.kind == MachineOperand::Kind::Literal && !covers(x.literals, y.literals)) return false;
      if (x.kind == MachineOperand::Kind::Literal && b.takes_guard &&
          !covers(x.guarded_literals, y.guarded_literals)) {
        return false;
      }
    }
    for (size_t i = 0; i < a.results.size(); ++i) {
      if (!contains(d_, a.results[i].register_class, b.results[i].register_class)) return false;
    }
    return true;
  }

  static bool covers(std::span<const LiteralAlternative> all, std::span<const LiteralAlternative> some) {
    return std::ranges::all_of(some, [&](const LiteralAlternative& wanted) {
      return std::ranges::any_of(all, [&](const LiteralAlternative& given) {
        return given.min <= wanted.min && wanted.max <= given.max && wanted.multiple % given.multiple == 0 &&
               given.extra_words <= wanted.extra_words;
      });
    });
  }

  const TargetDescription& d_;
  const InstructionSet& set_;
  target::Problems& problems_;
};

}  // namespace

void judge_overlap(const TargetDescription& description, target::Problems& problems) {
  OverlapJudge(description, problems).run();
}

}  // namespace psi::judge
