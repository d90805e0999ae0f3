// Predicates of random blocks, in plain and in SSA form, against what runs show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "iterations.h"
#include "predicate_testing.h"
#include "psi/interp/interpret.h"
#include "psi/ir/builder.h"
#include "psi/predicate/predicates.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"
#include "testing/random.h"

namespace psi {
namespace {

using testing::holds;

// A block of predicate code that shows every register after each definition, by calling $seen_i1 or $seen_i8.
class RandomBlock {
 public:
  RandomBlock(uint64_t seed, bool ssa) : random_(seed), ssa_(ssa), builder_(make_function()) {
    Function& function = builder_.function();
    for (int i = 0; i < 4; ++i) add_param(Type::i8, numbers_);
    for (int i = 0; i < 5; ++i) add_param(Type::i1, predicates_);
    builder_.at(function.add_block());
    for (uint32_t left = 5 + random_.below(30); left > 0; --left) add_inst();
    builder_.ret();
  }

  const Module& module() const { return module_; }
  const Function& function() const { return *module_.find_function("f"); }

  struct Seen {
    InstId inst;  // the call
    Reg reg;
    uint64_t bits;
  };
  // What a run with these arguments shows.
  std::vector<Seen> run(const std::vector<Value>& arguments) const {
    InterpretOptions options;
    options.stub_externals = true;
    options.record = true;
    Outcome outcome = interpret(module_, function().symbol, arguments, options);
    EXPECT_EQ(outcome.status, Outcome::Status::Returned) << outcome.message;
    std::vector<Seen> seen;
    for (const ExternalCall& call : outcome.calls) {
      seen.push_back({InstId(static_cast<uint32_t>(call.arguments[0].bits)),
                      Reg(static_cast<uint32_t>(call.arguments[1].bits)), call.arguments[2].bits});
    }
    return seen;
  }

 private:
  Function& make_function() {
    for (Type type : {Type::i1, Type::i8}) {
      SymbolId symbol = module_.intern_symbol(fmt::format("seen_{}", type_name(type)));
      module_.add_function(symbol).signature.params = {Type::i32, Type::i32, type};
    }
    Function& function = module_.add_function(module_.intern_symbol("f"));
    function.form = ssa_ ? Form::Ssa : Form::Plain;
    return function;
  }

  void add_param(Type type, std::vector<Reg>& pool) {
    Function& function = builder_.function();
    pool.push_back(function.add_reg(type));
    function.params.push_back(pool.back());
    function.signature.params.push_back(type);
  }

  Operand predicate() {
    if (random_.percent(5)) return builder_.function().literal(Type::i1, int64_t{random_.coin()});
    return Operand::reg(random_.element(predicates_));
  }
  Operand number() {
    if (random_.percent(40)) return builder_.function().literal(Type::i8, random_.range(-3, 3));
    return Operand::reg(random_.element(numbers_));
  }
  Guard guard() { return Guard(random_.element(predicates_), random_.coin()); }
  Cond cond() { return static_cast<Cond>(random_.below(kNumIntConds)); }

  void add_inst() {
    Guard guard = random_.percent(40) ? this->guard() : Guard();
    builder_.guard(guard);
    std::vector<Reg>& pool = random_.percent(15) ? numbers_ : predicates_;
    std::pair<Reg, Reg> old = {random_.element(pool), random_.element(pool)};
    if (!ssa_) builder_.into(old.first);
    std::pair<Reg, Reg> results = &pool == &numbers_ ? define_number() : define_predicate(old);
    // The psi of a guarded definition, and what it stands for.
    for (auto [result, before] : {std::pair(results.first, old.first), {results.second, old.second}}) {
      if (!result) continue;
      if (!ssa_) guard = Guard();
      show(result, guard);
      if (!ssa_) continue;
      if (guard) {
        builder_.guard({});
        Operand always = Operand::always();
        result =
            builder_.psi(builder_.function().type(result),
                         std::array{always, Operand::reg(before), guard.as_operand(), Operand::reg(result)});
        show(result, {});
      }
      pool.push_back(result);
    }
  }

  std::pair<Reg, Reg> define_number() {
    if (random_.coin()) return {builder_.op(Opcode::Mov, Type::i8, {number()}), Reg()};
    return {builder_.op(Opcode::Add, Type::i8, {number(), number()}), Reg()};
  }

  std::pair<Reg, Reg> define_predicate(std::pair<Reg, Reg> old) {
    switch (random_.below(ssa_ ? 9 : 8)) {
      case 0:
        return {builder_.op(Opcode::Not, Type::i1, {predicate()}), Reg()};
      case 1:
        return {builder_.op(Opcode::Mov, Type::i1, {predicate()}), Reg()};
      case 2:
        return {builder_.op(random_.one_of({Opcode::And, Opcode::Or, Opcode::Xor}), Type::i1,
                            {predicate(), predicate()}),
                Reg()};
      case 3:
        return {builder_.op(Opcode::Select, Type::i1, {predicate(), predicate(), predicate()}), Reg()};
      case 4:
        return {builder_.cmp(cond(), Type::i1, predicate(), predicate()), Reg()};
      case 5:
        // Nothing is known of it.
        return {builder_.convert(Opcode::Trunc, Type::i8, Type::i1, number()), Reg()};
      case 6:
        return {builder_.cmp(cond(), Type::i8, number(), number()), Reg()};
      case 7:
        return define_by_cmpp(old);
      default: {
        builder_.guard({});
        std::vector<Operand> pairs = {Operand::always(), predicate()};
        for (uint32_t i = random_.below(3); i > 0; --i) {
          pairs.push_back(guard().as_operand());
          pairs.push_back(predicate());
        }
        return {builder_.psi(Type::i1, pairs), Reg()};
      }
    }
  }

  std::pair<Reg, Reg> define_by_cmpp(std::pair<Reg, Reg> old) {
    std::array<Action, 2> actions;
    for (Action& action : actions) action = static_cast<Action>(random_.below(8));
    if (old.first == old.second) actions[1] = Action::none;
    std::vector<Operand> olds;
    for (Action action : actions) {
      if (ssa_ && action != Action::none && is_partial(action)) olds.push_back(predicate());
    }
    if (!ssa_) builder_.into(old.first, actions[1] == Action::none ? Reg() : old.second);
    Operand input = random_.percent(70) ? guard().as_operand() : Operand::always();
    return builder_.cmpp(actions[0], actions[1], cond(), Type::i8, number(), number(), input, olds);
  }

  void show(Reg r, Guard guard) {
    Function& function = builder_.function();
    builder_.guard(guard);
    SymbolId callee = *module_.find_symbol(fmt::format("seen_{}", type_name(function.type(r))));
    builder_.call(Type::none, Operand::symbol(callee),
                  std::array{function.literal(Type::i32, int64_t{function.num_insts()}),
                             function.literal(Type::i32, int64_t{r.index()}), Operand::reg(r)});
    builder_.guard({});
  }

  Module module_;
  Random random_;
  bool ssa_;
  Builder builder_;
  std::vector<Reg> numbers_;
  std::vector<Reg> predicates_;
};

// Runs the block, and compares what is said of each instruction with what is seen.
void check_run(const RandomBlock& block, Predicates& predicates, const std::vector<Value>& arguments) {
  const Function& function = block.function();
  std::vector<RandomBlock::Seen> trace = block.run(arguments);
  std::map<Reg, std::vector<uint64_t>> history;  // by version
  for (size_t i = 0; i < arguments.size(); ++i) history[function.params[i]] = {arguments[i].bits};
  for (const RandomBlock::Seen& seen : trace) history[seen.reg].push_back(seen.bits);
  auto value = [&](ValueNumber n) -> uint64_t {
    const NumberedValue& numbered = predicates.numbered_value(n);
    auto at = history.find(numbered.operand.reg());
    // One that was never computed does not matter.
    return at == history.end() ? 0 : at->second[numbered.version];
  };
  auto is_true = [&](Term term) { return holds(predicates.terms(), term, value); };

  std::map<Reg, uint64_t> current;
  for (size_t i = 0; i < arguments.size(); ++i) current[function.params[i]] = arguments[i].bits;
  std::map<Reg, std::pair<InstId, int>> definitions;
  size_t next = 0;
  for (InstId id : function.insts(function.entry())) {
    const Inst& inst = function.inst(id);
    bool executes = !inst.guard || current[inst.guard.reg()] != (inst.guard.is_negated() ? 1 : 0);
    EXPECT_EQ(is_true(predicates.guard(id)), executes);
    if (inst.op != Opcode::Call) {
      for (int i = 0; i < 2; ++i) definitions[inst.results[i]] = {id, i};
    } else if (executes) {
      ASSERT_EQ(trace[next].inst, id);
      auto [call, reg, bits] = trace[next++];
      current[reg] = bits;
      if (function.type(reg) != Type::i1) continue;
      auto [definition, target] = definitions[reg];
      EXPECT_EQ(is_true(predicates.value_of(definition, target)), bits != 0) << "register " << reg.index();
    }
  }
  for (auto [reg, bits] : current) {
    if (function.type(reg) == Type::i1) {
      EXPECT_EQ(is_true(predicates.value(reg)), bits != 0);
    }
  }
}

void check_random_blocks(bool ssa) {
  for (uint64_t seed = 0; seed < testing::iterations(300u); ++seed) {
    RandomBlock block(seed, ssa);
    Result<void> verified = verifies(block.module());
    ASSERT_TRUE(verified) << render(verified, "block", print(block.module()));
    const Function& function = block.function();
    Analyses analyses(function);
    Predicates predicates = ssa ? Predicates(function, analyses) : Predicates(function, function.entry());
    Random random(seed);
    for (int run = 0; run < 10; ++run) {
      std::vector<Value> arguments;
      for (Type type : function.signature.params) {
        // Small ones, so that they are often equal to each other and to the literals.
        uint64_t bits = static_cast<uint64_t>(random.range(-4, 4)) & value_mask(type);
        arguments.push_back({type == Type::i1 ? uint64_t{random.coin()} : bits});
      }
      check_run(block, predicates, arguments);
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << "\n" << print(block.module());
  }
}

TEST(Predicates, RandomBlocksInPlainForm) { check_random_blocks(false); }
TEST(Predicates, RandomBlocksInSsaForm) { check_random_blocks(true); }

}  // namespace
}  // namespace psi
