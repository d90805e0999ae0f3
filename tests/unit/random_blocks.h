// Random blocks of predicate code, and all that can happen in them.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <utility>
#include <vector>

#include "predicate_testing.h"
#include "psi/analysis/uses.h"
#include "psi/ir/builder.h"
#include "psi/predicate/predicates.h"
#include "testing/random.h"

namespace psi::testing {

// The outcomes of all conditions of a block.
constexpr size_t kMaxConditions = 12;
constexpr size_t kMaxWorlds = size_t{1} << kMaxConditions;
using BlockWorlds = std::bitset<kMaxWorlds>;

// Blocks in a row. Predicates are made from comparisons of parameters with zero, which can have any outcome
// each.
class RandomBlocks {
 public:
  RandomBlocks(uint64_t seed, bool is_one) : random_(seed), builder_(function_) {
    uint32_t num_conditions = random_.percent(5) ? kMaxConditions : 2 + random_.below(6);
    num_worlds_ = size_t{1} << num_conditions;
    for (uint32_t i = 0; i < num_conditions; ++i) conditions_.push_back(add_param(Type::i32));
    for (int i = 0; i < 4; ++i) numbers_.push_back(add_param(Type::i32));
    builder_.at(function_.add_block());
    for (uint32_t i = 3 + random_.below(5); i > 0; --i) {
      predicates_.push_back(
          builder_.op(Opcode::Mov, Type::i1, {function_.literal(Type::i1, int64_t{random_.coin()})}));
    }
    for (uint32_t left = 5 + random_.below(30); left > 0; --left) {
      add_inst();
      if (!is_one && random_.percent(5)) end_block();
    }
    builder_.guard({});
    builder_.ret(Operand::reg(random_.element(numbers_)));
    execute();
  }

  const Function& function() const { return function_; }
  size_t num_worlds() const { return num_worlds_; }

  // In which worlds what happens.
  struct Read {
    Reg reg;
    uint32_t operand;
    BlockWorlds where;
  };
  struct Event {
    BlockWorlds executes;
    std::array<BlockWorlds, 2> written;
    std::vector<Read> reads;
  };
  const Event& event(InstId id) const { return events_[id.index()]; }

  // In which worlds a condition of a block's predicates holds.
  BlockWorlds worlds(BlockId b, const Condition& condition, const Predicates& predicates) const {
    BlockWorlds result;
    for (size_t world = 0; world < num_worlds_; ++world) {
      result[world] = holds(condition, [&](ValueNumber n) -> uint64_t {
        const NumberedValue& value = predicates.numbered_value(n);
        uint32_t r = value.operand.reg().index();
        return value_mask(function_.type(Reg(r))) * histories_[b.index()][r][value.version][world];
      });
    }
    return result;
  }

 private:
  Reg add_param(Type type) {
    Reg r = function_.add_reg(type);
    function_.params.push_back(r);
    function_.signature.params.push_back(type);
    return r;
  }
  Guard any_guard() { return Guard(random_.element(predicates_), random_.coin()); }
  Operand predicate() { return Operand::reg(random_.element(predicates_)); }
  Operand number() { return Operand::reg(random_.element(numbers_)); }

  void end_block() {
    BlockId next = function_.add_block();
    builder_.guard({});
    builder_.br(next);
    builder_.at(next);
  }

  void add_inst() {
    builder_.guard(random_.percent(60) ? any_guard() : Guard());
    Reg to = random_.element(predicates_);
    switch (random_.below(8)) {
      case 0:
        builder_.into(to);
        builder_.op(random_.one_of({Opcode::And, Opcode::Or, Opcode::Xor}), Type::i1,
                    {predicate(), predicate()});
        break;
      case 1:
        builder_.into(to);
        builder_.op(random_.one_of({Opcode::Not, Opcode::Mov}), Type::i1, {predicate()});
        break;
      case 2:
      case 3:
      case 4:
        add_cmpp(to);
        break;
      case 5:
        builder_.into(random_.element(numbers_));
        builder_.op(Opcode::Mov, Type::i32, {number()});
        break;
      default:
        builder_.into(random_.element(numbers_));
        builder_.op(Opcode::Add, Type::i32, {number(), number()});
    }
  }

  void add_cmpp(Reg to) {
    Reg second = random_.element(predicates_);
    Action first = static_cast<Action>(random_.below(8)), other = static_cast<Action>(random_.below(8));
    if (second == to || random_.coin()) second = Reg(), other = Action::none;
    builder_.into(to, second);
    builder_.cmpp(first, other, random_.one_of({Cond::lt, Cond::ge}), Type::i32,
                  Operand::reg(random_.element(conditions_)), function_.literal(Type::i32, int64_t{0}),
                  random_.percent(60) ? any_guard().as_operand() : Operand::always());
  }

  void execute() {
    events_.resize(function_.num_insts());
    histories_.assign(function_.num_blocks(), std::vector<std::vector<BlockWorlds>>(function_.num_regs()));
    for (size_t world = 0; world < num_worlds_; ++world) {
      // Of a number, whether it is negative.
      std::vector<bool> value(function_.num_regs());
      for (size_t i = 0; i < conditions_.size(); ++i) value[i] = world >> i & 1;
      for (BlockId b : function_.layout()) {
        std::vector<size_t> version(function_.num_regs());
        auto note = [&](Reg r) {
          std::vector<BlockWorlds>& history = histories_[b.index()][r.index()];
          history.resize(std::max(history.size(), version[r.index()] + 1));
          history[version[r.index()]++][world] = value[r.index()];
        };
        for (uint32_t i = 0; i < function_.num_regs(); ++i) note(Reg(i));
        for (InstId id : function_.insts(b)) {
          execute(id, world, value, events_[id.index()]);
          for (Reg r : function_.inst(id).results) {
            if (r) note(r);
          }
        }
      }
    }
  }

  void execute(InstId id, size_t world, std::vector<bool>& value, Event& event) {
    const Inst& inst = function_.inst(id);
    std::span<const Operand> operands = function_.operands(inst);
    auto is_true = [&](Operand o) {
      return o.reads_reg() ? value[o.reg().index()] != o.is_negated() : function_.literal_bits(o) != 0;
    };
    bool executes = !inst.guard || is_true(inst.guard.as_operand());
    bool has_input = inst.op == Opcode::Cmpp && is_true(operands[2]);
    bool all_partial = inst.op == Opcode::Cmpp && is_partial(inst.action(0)) &&
                       (!inst.results[1] || is_partial(inst.action(1)));
    event.executes[world] = executes;
    auto read = [&](Reg r, uint32_t operand, bool happens) {
      for (Read& known : event.reads) {
        if (known.operand == operand) {
          known.where[world] = happens;
          return;
        }
      }
      event.reads.push_back({r, operand, {}});
      event.reads.back().where[world] = happens;
    };
    if (inst.guard) read(inst.guard.reg(), Use::kGuard, true);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].reads_reg()) continue;
      read(operands[i].reg(), i, executes && (i == 2 || !all_partial || has_input));
    }
    if (!executes) return;
    for (int i = 0; i < 2; ++i) {
      if (!inst.results[i]) continue;
      std::optional<bool> result = function_.type(inst.results[i]) == Type::i1
                                       ? compute(inst, i, operands, is_true)
                                       : std::optional(false);
      event.written[static_cast<size_t>(i)][world] = result.has_value();
      if (result) next_.push_back({inst.results[i], *result});
    }
    for (auto [r, bit] : next_) value[r.index()] = bit;
    next_.clear();
  }

  // Nothing if the target is not written.
  template <class IsTrue>
  std::optional<bool> compute(const Inst& inst, int target, std::span<const Operand> operands,
                              IsTrue is_true) {
    switch (inst.op) {
      case Opcode::Mov:
        return is_true(operands[0]);
      case Opcode::Not:
        return !is_true(operands[0]);
      case Opcode::And:
        return is_true(operands[0]) && is_true(operands[1]);
      case Opcode::Or:
        return is_true(operands[0]) || is_true(operands[1]);
      case Opcode::Xor:
        return is_true(operands[0]) != is_true(operands[1]);
      default:
        break;
    }
    bool r = is_true(operands[2]);
    bool c = (inst.cond() == Cond::lt) == is_true(operands[0]);
    if (is_complement(inst.action(target))) c = !c;
    switch (inst.action(target)) {
      case Action::on:
      case Action::oc:
        return r && c ? std::optional(true) : std::nullopt;
      case Action::an:
      case Action::ac:
        return r && !c ? std::optional(false) : std::nullopt;
      case Action::cn:
      case Action::cc:
        return r ? std::optional(c) : std::nullopt;
      default:
        return r && c;
    }
  }

  Random random_;
  Function function_;
  Builder builder_;
  size_t num_worlds_ = 0;
  std::vector<Reg> conditions_;
  std::vector<Reg> numbers_;
  std::vector<Reg> predicates_;
  std::vector<Event> events_;                                     // by InstId
  std::vector<std::vector<std::vector<BlockWorlds>>> histories_;  // by block, register and version
  std::vector<std::pair<Reg, bool>> next_;
};

}  // namespace psi::testing
