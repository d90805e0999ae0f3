#include <algorithm>
#include <array>
#include <utility>

#include "program_maker.h"
#include "psi/ssa/construct.h"

namespace psi::soak {
namespace {

class BlockMaker : ProgramMaker {
 public:
  using ProgramMaker::ProgramMaker;

  Program make(bool correlated) {
    if (correlated) {
      compare_numbers();
    } else {
      for (uint32_t left = 1 + random.below(12); left > 0; --left) {
        if (random.percent(30)) {
          predicates_.push_back(add_bit());
        } else {
          comparisons_.push_back(add_comparison());
        }
      }
    }
    for (bool value : {false, true}) {
      predicates_.push_back(builder.op(Opcode::Mov, Type::i1, {function.literal(Type::i1, int64_t{value})}));
    }
    for (uint32_t left = 5 + random.below(16); left > 0; --left) add_inst();
    builder.guard({});
    builder.ret();
    if (random.coin()) into_ssa();
    return std::move(program);
  }

 private:
  // Three numbers: with each constant come all the values that are just above it, as many as there are
  // numbers to lie there, so that no other value would be told apart.
  void compare_numbers() {
    std::vector<uint8_t> constants;
    for (int i = 0; i < 3; ++i) {
      constants.push_back(random.one_of<uint8_t>({0x80, 0x81, 0xfd, 0xff, 0, 1, 2, 5, 90, 126, 127}));
    }
    std::vector<uint8_t> values;
    for (uint8_t low : {uint8_t{0x80}, uint8_t{0}, constants[0], constants[1], constants[2]}) {
      for (uint8_t i = 0; i <= 3; ++i) values.push_back(static_cast<uint8_t>(low + i));
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<Operand> numbers;
    for (int i = 0; i < 3; ++i) {
      uint32_t choice = program.worlds.add_choice(static_cast<uint32_t>(values.size()));
      numbers.push_back(Operand::reg(add_param(Type::i8, choice, values)));
    }
    predicates_.push_back(add_bit());
    for (uint32_t left = 2 + random.below(11); left > 0; --left) {
      Operand other = random.percent(60) ? literal(random.element(constants)) : random.element(numbers);
      comparisons_.push_back({static_cast<Cond>(random.below(kNumIntConds)), random.element(numbers), other});
    }
  }

  Operand predicate() {
    if (random.percent(5)) return function.literal(Type::i1, int64_t{random.coin()});
    return Operand::reg(some_predicate());
  }
  // Rather a late one, so that predicates are made of predicates.
  Reg some_predicate() {
    uint32_t all = static_cast<uint32_t>(predicates_.size());
    return predicates_[std::max(random.below(all), random.below(all))];
  }

  // A register that has no value must not be left as it is: what may do that goes to one that has.
  Reg target(bool is_partial) {
    return is_partial || random.percent(30) ? some_predicate() : function.add_reg(Type::i1);
  }

  void add_inst() {
    bool is_guarded = random.percent(30);
    builder.guard(is_guarded ? Guard(some_predicate(), random.coin()) : Guard());
    if (!comparisons_.empty() && random.percent(65)) return add_cmpp(is_guarded);
    Reg result = target(is_guarded);
    builder.into(result);
    switch (random.below(8)) {
      case 0:
        builder.op(Opcode::Mov, Type::i1, {predicate()});
        break;
      case 1:
        builder.op(Opcode::Not, Type::i1, {predicate()});
        break;
      case 2:
        builder.op(Opcode::Select, Type::i1, {predicate(), predicate(), predicate()});
        break;
      case 3:
        builder.cmp(static_cast<Cond>(random.below(kNumIntConds)), Type::i1, predicate(), predicate());
        break;
      default:
        builder.op(random.one_of({Opcode::And, Opcode::And, Opcode::Or, Opcode::Or, Opcode::Xor}), Type::i1,
                   {predicate(), predicate()});
    }
    add(result);
  }

  void add_cmpp(bool is_guarded) {
    Comparison c = written_somehow(random.element(comparisons_));
    // Half of them are what a branch becomes.
    std::array<Action, 2> actions = {Action::un, Action::uc};
    if (random.coin()) {
      for (Action& action : actions) action = static_cast<Action>(random.below(8));
    }
    std::array<Reg, 2> results;
    for (int i = 0; i < 2; ++i) results[i] = target(is_guarded || is_partial(actions[i]));
    if (results[0] == results[1] || random.percent(20)) actions[1] = Action::none, results[1] = Reg();
    Operand input =
        random.percent(70) ? Operand::predicate(some_predicate(), random.percent(25)) : Operand::always();
    builder.into(results[0], results[1]);
    builder.cmpp(actions[0], actions[1], c.cond, Type::i8, c.left, c.right, input);
    for (Reg result : results) {
      if (result) add(result);
    }
  }

  void add(Reg result) {
    if (std::ranges::find(predicates_, result) == predicates_.end()) predicates_.push_back(result);
  }

  void into_ssa() {
    Analyses analyses(function);
    Counters counters;
    StepTimes times;
    construct(function, analyses, {}, counters, times);
  }

  std::vector<Comparison> comparisons_;
  std::vector<Reg> predicates_;
};

}  // namespace

Program random_block(bool correlated, uint64_t seed) { return BlockMaker(seed).make(correlated); }

}  // namespace psi::soak
