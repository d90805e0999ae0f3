#include "program_truth.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "ir/int_cond.h"
#include "psi/analysis/order.h"

namespace psi::soak {
namespace {

// Executes instructions in all worlds at once.
class Execution {
 public:
  explicit Execution(const Program& program)
      : function_(program.function()), worlds_(program.worlds), all_(WorldSet::all(worlds_.size())) {
    for (Reg param : function_.params) {
      if (function_.type(param) != Type::i1) continue;
      WorldSet& set = sets_[param] = WorldSet(worlds_.size());
      for (uint32_t world = 0; world < worlds_.size(); ++world) {
        if (worlds_.value(param, world) != 0) set.insert(world);
      }
    }
  }

  // What an instruction with results of type i1 does.
  struct Effect {
    WorldSet executes;
    std::array<WorldSet, 2> written;
    std::array<WorldSet, 2> values;  // afterwards
  };
  Effect execute(const Inst& inst) {
    Effect effect;
    effect.executes = guard(inst);
    std::array<WorldSet, 2> written = {all_, all_};
    if (inst.op == Opcode::Cmpp) {
      compare_to_predicates(inst, written, effect.values);
    } else if (inst.results[0]) {
      effect.values[0] = computed(inst);
    }
    for (int i = 0; i < 2; ++i) {
      if (!inst.results[i]) continue;
      effect.written[i] = effect.executes & written[i];
      // In SSA form nobody reads it elsewhere.
      if (inst.guard && function_.form == Form::Plain) {
        effect.values[i] = choose(effect.executes, effect.values[i], sets_[inst.results[i]]);
      }
    }
    for (int i = 0; i < 2; ++i) {
      if (inst.results[i]) sets_[inst.results[i]] = effect.values[i];
    }
    return effect;
  }

  WorldSet guard(const Inst& inst) const { return value(inst.guard.as_operand()); }

  WorldSet value(Operand predicate) const {
    if (predicate.is_literal()) return function_.literal_bits(predicate) ? all_ : ~all_;
    const WorldSet& set = sets_.at(predicate.reg());
    return predicate.is_negated() ? ~set : set;
  }

  WorldSet compare(Type type, Cond cond, Operand left, Operand right) const {
    WorldSet result(worlds_.size());
    auto number = [&](Operand operand, uint32_t world) -> uint64_t {
      return operand.is_literal() ? function_.literal_bits(operand) : worlds_.value(operand.reg(), world);
    };
    for (uint32_t world = 0; world < worlds_.size(); ++world) {
      if (int_cond_holds(cond, type, number(left, world), number(right, world))) result.insert(world);
    }
    return result;
  }

 private:
  static WorldSet choose(const WorldSet& where, const WorldSet& then, const WorldSet& otherwise) {
    return (where & then) | (~where & otherwise);
  }

  // docs/ir.md, "cmpp".
  void compare_to_predicates(const Inst& inst, std::array<WorldSet, 2>& written,
                             std::array<WorldSet, 2>& values) const {
    std::span<const Operand> operands = function_.operands(inst);
    WorldSet holds = compare(inst.type, inst.cond(), operands[0], operands[1]), r = value(operands[2]);
    size_t next_old = 3;
    for (int i = 0; i < 2; ++i) {
      Action action = inst.action(i);
      if (action == Action::none) continue;
      WorldSet c = is_complement(action) ? ~holds : holds, old;
      if (is_partial(action)) {
        old = function_.form == Form::Plain ? sets_.at(inst.results[i]) : value(operands[next_old++]);
      }
      switch (action) {
        case Action::on:
        case Action::oc:
          written[i] = r & c;
          values[i] = old | written[i];
          break;
        case Action::an:
        case Action::ac:
          written[i] = r & ~c;
          values[i] = old & ~written[i];
          break;
        case Action::cn:
        case Action::cc:
          written[i] = r;
          values[i] = choose(r, c, old);
          break;
        default:
          values[i] = r & c;
      }
    }
  }

  WorldSet computed(const Inst& inst) const {
    std::span<const Operand> operands = function_.operands(inst);
    auto operand = [&](size_t i) { return value(operands[i]); };
    switch (inst.op) {
      case Opcode::Mov:
        return operand(0);
      case Opcode::Not:
        return ~operand(0);
      case Opcode::And:
        return operand(0) & operand(1);
      case Opcode::Or:
        return operand(0) | operand(1);
      case Opcode::Xor:
        return choose(operand(0), ~operand(1), operand(1));
      case Opcode::Select:
        return choose(operand(0), operand(1), operand(2));
      case Opcode::Psi: {
        WorldSet merged = operand(1);
        for (size_t i = 2; i < operands.size(); i += 2) merged = choose(operand(i), operand(i + 1), merged);
        return merged;
      }
      default:
        return inst.type == Type::i1 ? compare_predicates(inst.cond(), operand(0), operand(1))
                                     : compare(inst.type, inst.cond(), operands[0], operands[1]);
    }
  }

  // By its truth table.
  WorldSet compare_predicates(Cond cond, const WorldSet& a, const WorldSet& b) const {
    WorldSet result(worlds_.size());
    for (uint64_t x : {0, 1}) {
      for (uint64_t y : {0, 1}) {
        if (int_cond_holds(cond, Type::i1, x, y)) result |= (x ? a : ~a) & (y ? b : ~b);
      }
    }
    return result;
  }

  const Function& function_;
  const Worlds& worlds_;
  WorldSet all_;
  std::unordered_map<Reg, WorldSet> sets_;  // of the predicates that have a value
};

std::vector<KnownPredicate> of_block(const Program& program, const Predicates& predicates) {
  const Function& function = program.function();
  bool is_plain = function.form == Form::Plain;
  std::vector<KnownPredicate> known;
  Execution execution(program);
  std::span<const InstId> insts = function.insts(function.entry());
  for (size_t at = 0; at < insts.size(); ++at) {
    InstId id = insts[at];
    const Inst& inst = function.inst(id);
    Execution::Effect effect = execution.execute(inst);
    std::string name = fmt::format("instruction {}", at + 1);
    if (inst.guard) known.push_back({predicates.guard(id), effect.executes, "guard of " + name});
    for (int i = 0; i < 2; ++i) {
      if (!inst.results[i]) continue;
      name = fmt::format("target {} of instruction {}", i + 1, at + 1);
      known.push_back({predicates.written(id, i), effect.written[i], "writes to " + name});
      if (is_plain || !inst.guard) known.push_back({predicates.value_of(id, i), effect.values[i], name});
    }
  }
  return known;
}

std::vector<KnownPredicate> of_region(const Program& program, Analyses& analyses, Predicates& predicates) {
  const Function& function = program.function();
  std::vector<WorldSet> reached(function.num_blocks(), WorldSet(program.worlds.size()));
  reached[function.entry().index()] = WorldSet::all(program.worlds.size());
  Execution execution(program);
  for (BlockId b : analyses.get<Order>().reverse_post_order()) {
    WorldSet here = reached[b.index()];
    auto reach = [&](Operand block, const WorldSet& where) { reached[block.block().index()] |= where; };
    for (InstId id : function.insts(b)) {
      const Inst& inst = function.inst(id);
      std::span<const Operand> operands = function.operands(inst);
      WorldSet taken = here & execution.guard(inst);
      if (!inst.is_terminator()) {
        execution.execute(inst);
        continue;
      }
      here &= ~taken;
      if (inst.op == Opcode::Switch) {
        for (size_t i = 2; i < operands.size(); i += 2) {
          WorldSet equal = execution.compare(inst.type, Cond::eq, operands[0], operands[i]);
          reach(operands[i + 1], taken & equal);
          taken &= ~equal;
        }
        reach(operands[1], taken);
      } else if (operands.size() == 1) {
        reach(operands[0], taken);
      } else if (operands.size() == 3) {
        WorldSet condition = execution.value(operands[0]);
        reach(operands[1], taken & condition);
        reach(operands[2], taken & ~condition);
      }
    }
  }
  std::vector<Term> terms = block_terms(analyses, function.layout(), predicates);
  std::vector<KnownPredicate> known;
  for (size_t i = 0; i < terms.size(); ++i) {
    known.push_back({terms[i], reached[i], fmt::format("block {}", i)});
  }
  return known;
}

}  // namespace

std::vector<KnownPredicate> known_predicates(const Program& program, Analyses& analyses,
                                             Predicates& predicates) {
  return program.function().layout().size() == 1 ? of_block(program, predicates)
                                                 : of_region(program, analyses, predicates);
}

}  // namespace psi::soak
