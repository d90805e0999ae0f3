#include "psi/optimise/ranges.h"

#include <gtest/gtest.h>

#include "iterations.h"
#include "optimise/algebra/known_bits.h"
#include "optimise/ranges/ranges_analysis.h"
#include "optimise/ranges/ranges_arithmetic.h"
#include "parsing.h"
#include "psi/ir/evaluate.h"
#include "psi/pipeline/pass_table.h"
#include "psi/testing/fuzz.h"
#include "rule_instances.h"
#include "testing/random.h"

namespace psi {
namespace {

using optimise::Interval;
using optimise::KnownBits;
using optimise::ValueRanges;
using testing::parse_function;

bool contains(const Interval& interval, uint64_t bits, Type type) {
  int64_t number = sign_extend(bits, type);
  return !interval.is_empty() && number >= interval.least && number <= interval.greatest &&
         bits >= interval.unsigned_least && bits <= interval.unsigned_greatest;
}

Interval random_interval(Random& random, Type type) {
  std::vector<uint64_t> ends = testing::interesting_values(type);
  uint64_t a = random.element(ends),
           b = random.coin() ? random.element(ends) : (a + random.below(9)) & value_mask(type);
  if (random.coin()) return Interval::of_unsigned(std::min(a, b), std::max(a, b), type);
  int64_t first = sign_extend(a, type), second = sign_extend(b, type);
  return Interval::of_signed(std::min(first, second), std::max(first, second), type);
}

// The values of an i8 that are in an interval.
std::vector<uint64_t> values(const Interval& interval) {
  std::vector<uint64_t> all;
  for (uint64_t bits = 0; bits < 256; ++bits) {
    if (contains(interval, bits, Type::i8)) all.push_back(bits);
  }
  return all;
}

TEST(Intervals, HoldAllResults) {
  Random random(1);
  for (Opcode op : {Opcode::Add,  Opcode::Sub,  Opcode::Mul,   Opcode::And,  Opcode::Or,   Opcode::Xor,
                    Opcode::Shl,  Opcode::Lshr, Opcode::Ashr,  Opcode::Udiv, Opcode::Urem, Opcode::Sdiv,
                    Opcode::Srem, Opcode::Smin, Opcode::Smax,  Opcode::Umin, Opcode::Umax, Opcode::Neg,
                    Opcode::Not,  Opcode::Abs,  Opcode::Ctpop, Opcode::Ctlz, Opcode::Cttz}) {
    Inst inst;
    inst.op = op;
    inst.type = Type::i8;
    bool is_binary = inst.format() == Format::Binary;
    bool is_narrower = false;
    for (int iteration = 0; iteration < 150; ++iteration) {
      Interval a = random_interval(random, Type::i8), b = random_interval(random, Type::i8);
      Interval result = optimise::evaluate_interval(inst, a, b);
      is_narrower |= result != Interval::full(Type::i8);
      for (uint64_t x : values(a)) {
        for (uint64_t y : is_binary ? values(b) : std::vector<uint64_t>{0}) {
          std::array<Value, 2> operands = {Value{x, false}, Value{y, false}};
          std::optional<Value> value = evaluate(inst, std::span(operands).first(is_binary ? 2 : 1));
          if (!value || value->undef) continue;
          ASSERT_TRUE(contains(result, value->bits, Type::i8)) << info(op).name << " " << x << " " << y;
        }
      }
    }
    EXPECT_TRUE(is_narrower) << info(op).name;
  }
}

TEST(Intervals, Conditions) {
  Random random(2);
  for (int c = 0; c < kNumIntConds; ++c) {
    auto cond = static_cast<Cond>(c);
    for (int iteration = 0; iteration < testing::iterations(200); ++iteration) {
      Interval a = random_interval(random, Type::i8), b = random_interval(random, Type::i8);
      Interval left = optimise::constrain(a, cond, b, Type::i8);
      int decided = optimise::decide(a, cond, b);
      for (uint64_t x : values(a)) {
        for (uint64_t y : values(b)) {
          bool holds = eval_cond(cond, Type::i8, x, y);
          if (decided >= 0) {
            ASSERT_EQ(holds, decided == 1) << cond_name(cond) << " " << x << " " << y;
          }
          if (holds) {
            ASSERT_TRUE(contains(left, x, Type::i8)) << cond_name(cond) << " " << x << " " << y;
          }
        }
      }
    }
  }
}

TEST(Intervals, Overflow) {
  Random random(3);
  for (Opcode op : {Opcode::SaddOverflow, Opcode::UaddOverflow, Opcode::SsubOverflow, Opcode::UsubOverflow,
                    Opcode::SmulOverflow, Opcode::UmulOverflow}) {
    bool was_excluded = false;
    for (int iteration = 0; iteration < testing::iterations(200); ++iteration) {
      Interval a = random_interval(random, Type::i8), b = random_interval(random, Type::i8);
      if (optimise::may_overflow(op, Type::i8, a, b)) continue;
      was_excluded = true;
      for (uint64_t x : values(a)) {
        for (uint64_t y : values(b))
          ASSERT_FALSE(eval_overflow(op, Type::i8, x, y)) << info(op).name << x << " " << y;
      }
    }
    EXPECT_TRUE(was_excluded) << info(op).name;
  }
}

TEST(Intervals, JoinMeetAndWiden) {
  Random random(4);
  for (int iteration = 0; iteration < testing::iterations(1000); ++iteration) {
    Interval a = random_interval(random, Type::i8), b = random_interval(random, Type::i8);
    Interval both = optimise::meet(a, b, Type::i8), either = optimise::join(a, b);
    Interval wide = optimise::widen(a, either, Type::i8);
    for (uint64_t x = 0; x < 256; ++x) {
      bool in_a = contains(a, x, Type::i8), in_b = contains(b, x, Type::i8);
      if (in_a && in_b) {
        EXPECT_TRUE(contains(both, x, Type::i8));
      }
      if (in_a || in_b) {
        EXPECT_TRUE(contains(either, x, Type::i8));
      }
      if (in_a || in_b) {
        EXPECT_TRUE(contains(wide, x, Type::i8));
      }
    }
  }
}

// Each bit that is claimed is what is computed.
TEST(KnownBits, AreRight) {
  Random random(5);
  for (int iteration = 0; iteration < testing::iterations(3000); ++iteration) {
    Function function;
    function.form = Form::Ssa;
    Builder builder(function);
    builder.at(function.add_block());
    std::array<Operand, 2> operands;
    for (Operand& operand : operands) {
      Reg param = function.add_reg(Type::i8);
      function.params.push_back(param);
      Operand masked = Operand::reg(builder.op(
          Opcode::And, Type::i8, {Operand::reg(param), function.literal(Type::i8, random.next())}));
      operand = Operand::reg(builder.op(Opcode::Or, Type::i8,
                                        {masked, function.literal(Type::i8, random.next() & random.next())}));
    }
    if (random.coin()) operands[1] = function.literal(Type::i8, uint64_t{random.below(8)});
    Opcode op = random.one_of({Opcode::Add, Opcode::Mul, Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Shl,
                               Opcode::Lshr, Opcode::Ashr, Opcode::Udiv, Opcode::Urem, Opcode::Umin,
                               Opcode::Not, Opcode::Ctpop, Opcode::Zext, Opcode::Sext, Opcode::Trunc});
    Reg result;
    if (info(op).format == Format::Convert) {
      result = builder.convert(op, Type::i8, op == Opcode::Trunc ? Type::i1 : Type::i16, operands[0]);
    } else {
      bool is_binary = info(op).format == Format::Binary;
      result = builder.op(op, Type::i8, std::span<const Operand>(operands).first(is_binary ? 2 : 1));
    }
    builder.ret(Operand::reg(result));
    KnownBits known(function);
    for (InstId id : function.insts(function.entry())) known.update(id);
    optimise::Bits bits = known(Operand::reg(result));
    testing::StraightRun run(function);
    for (int sample = 0; sample < 60; ++sample) {
      std::array<uint64_t, 2> arguments = {random.below(256), random.below(256)};
      std::optional<Value> value = run(arguments);
      if (!value || value->undef) continue;
      ASSERT_EQ(value->bits & bits.zeros, 0u) << info(op).name;
      ASSERT_EQ(~value->bits & bits.ones, 0u) << info(op).name;
    }
  }
}

Interval range_of(Function& function, std::string_view name) {
  Analyses analyses(function);
  ValueRanges ranges(function, analyses);
  for (uint32_t r = 0; r < function.num_regs(); ++r) {
    if (function.name(Reg(r)) == name) return ranges(Reg(r));
  }
  return {};
}

TEST(ValueRanges, OfALoopsCounter) {
  Function function = parse_function(R"(
    func $f(%n: i32) -> i32 ssa {
    @entry:
      br @head
    @head:
      %i = phi.i32 [@entry: 5], [@body: %j]
      %c = cmp.lt.i32 %i, 100
      br %c, @body, @exit
    @body:
      %j = add.i32 %i, 1
      br @head
    @exit:
      ret %i
    })");
  EXPECT_EQ(range_of(function, "i"), Interval::of_signed(5, 100, Type::i32));
  EXPECT_EQ(range_of(function, "j"), Interval::of_signed(6, 100, Type::i32));
}

TEST(ValueRanges, OfACounterWithoutKnownEnd) {
  Function function = parse_function(R"(
    func $f(%n: i32) -> i32 ssa {
    @entry:
      br @head
    @head:
      %i = phi.i32 [@entry: 0], [@body: %j]
      %c = cmp.lt.i32 %i, %n
      br %c, @body, @exit
    @body:
      %j = add.i32 %i, 1
      br @head
    @exit:
      ret %i
    })");
  // Below %n there is room for one more.
  EXPECT_EQ(range_of(function, "i"), Interval::of_signed(0, INT32_MAX, Type::i32));
  EXPECT_EQ(range_of(function, "j"), Interval::of_signed(1, INT32_MAX, Type::i32));
}

TEST(Ranges, RefinesPrograms) {
  for (std::string_view passes : {"construct,ranges", "construct,scramble(seed=1),ranges,destruct",
                                  "construct,simplify,ranges,simplify,destruct"}) {
    Result<PassList> list = parse_passes(PassTable::builtin(), passes);
    ASSERT_TRUE(list) << list.diagnostics().first_error();
    FuzzOptions options;
    options.count = 150;
    for (const FuzzFailure& failure : fuzz(*list, options).failures) {
      ADD_FAILURE() << passes << ": " << failure.reduced_why << "\n" << failure.reduced;
    }
  }
}

}  // namespace
}  // namespace psi
