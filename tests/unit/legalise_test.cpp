// legalise: each operation of each type on boundary values, and random programs, give what they gave before;
// afterwards a form of the target covers every instruction.
#include "psi/select/legalise.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "parsing.h"
#include "psi/interp/interpret.h"
#include "psi/ir/routines.h"
#include "psi/pipeline/pipeline.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using ::testing::HasSubstr;
using testing::parse_or_die;

constexpr std::array kIntegers = {Type::i1, Type::i8, Type::i16, Type::i32, Type::i64};

PassList legalise_passes(std::string_view list) {
  Result<PassList> passes = parse_passes(PassTable::builtin(), list);
  EXPECT_TRUE(passes) << passes.message();
  return passes ? *passes : PassList();
}

std::string left_illegal(const Module& module, const Target& target) {
  std::string out;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
    const Function& function = module.function(symbol);
    for (const IllegalInstruction& each : illegal_for_selection(function, target)) {
      out += fmt::format("{}: {}\n", print(module, function, each.inst), each.reason);
    }
  }
  return out;
}

// Makes it legal in plain form and in SSA form; both must give what the program gives, for all arguments.
void expect_same(const std::string& body, const std::vector<std::vector<Value>>& arguments) {
  std::string text = "pointer 32\n" + body;
  Module module = parse_or_die(text);
  const Target& target = *find_target("tiny");
  std::vector<Module> legal;
  for (std::string_view list : {"legalise(target=tiny)", "construct,legalise(target=tiny)",
                                "construct,legalise(target=tiny),destruct"}) {
    Module& changed = legal.emplace_back(module);
    PipelineOptions options;
    options.verify_each = true;
    PipelineResult result = run_passes(changed, legalise_passes(list), options);
    ASSERT_TRUE(result) << result.message() << "\n" << text;
    if (!list.ends_with("destruct")) {
      EXPECT_EQ(left_illegal(changed, target), "") << text << print(changed);
    }
  }
  InterpretOptions options;
  options.record = true;
  for (const std::vector<Value>& each : arguments) {
    Outcome before = interpret(module, *module.find_symbol("f"), each, options);
    for (const Module& changed : legal) {
      Outcome after = interpret(changed, *changed.find_symbol("f"), each, options);
      Result<void> refined = refines(before, after);
      if (refined) continue;
      std::string values;
      for (Value value : each) values += fmt::format(" {:#x}", value.bits);
      FAIL() << refined.message() << "\nfor" << values << "\n" << text << print(changed);
    }
  }
}

std::vector<uint64_t> boundary_values(Type type) {
  uint64_t mask = value_mask(type), top = (mask >> 1) + 1;
  std::vector<uint64_t> values = {0, 1, mask, top, top - 1};
  if (bit_width(type) >= 8) values.insert(values.end(), {2, 7, mask - 6, 0x55 & mask, mask / 3});
  if (type == Type::i64) {
    values.insert(values.end(), {31, 32, 33, 63, 0xffff'ffff, 0x1'0000'0000, 0x8000'0000,
                                 0x1234'5678'9abc'def0, 0xffff'ffff'0000'0000, 0xffff'ffff'8000'0000});
  }
  return values;
}

std::vector<std::vector<Value>> pairs_of(Type a, Type b) {
  std::vector<std::vector<Value>> all;
  for (uint64_t x : boundary_values(a)) {
    for (uint64_t y : boundary_values(b)) all.push_back({{x, false}, {y, false}});
  }
  return all;
}

template <class Visit>
void for_each_opcode(Format format, TypeSet types, Visit visit) {
  for (int i = 0; i < kNumGenericOpcodes; ++i) {
    Opcode op = static_cast<Opcode>(i);
    if (info(op).format == format && info(op).types == types) visit(op);
  }
}

class LegaliseType : public ::testing::TestWithParam<Type> {};

TEST_P(LegaliseType, binary_operations) {
  std::string_view type = type_name(GetParam());
  for_each_opcode(Format::Binary, TypeSet::Int, [&](Opcode op) {
    expect_same(
        fmt::format("func $f(%a: {0}, %b: {0}) -> {0} {{\n@entry:\n  %x = {1}.{0} %a, %b\n  ret %x\n}}\n",
                    type, info(op).name),
        pairs_of(GetParam(), GetParam()));
  });
}

TEST_P(LegaliseType, operations_with_a_literal) {
  std::string_view type = type_name(GetParam());
  std::vector<std::vector<Value>> arguments;
  for (uint64_t x : boundary_values(GetParam())) arguments.push_back({{x, false}});
  for_each_opcode(Format::Binary, TypeSet::Int, [&](Opcode op) {
    for (uint64_t literal : {0, 1, 5, 31, 32, 45, 63}) {
      if (literal > value_mask(GetParam()) >> 1) continue;
      std::string text = GetParam() == Type::i1 ? "false" : fmt::format("{}", literal);
      expect_same(fmt::format("func $f(%a: {0}) -> {0} {{\n@entry:\n  %x = {1}.{0} %a, {2}\n  ret %x\n}}\n",
                              type, info(op).name, text),
                  arguments);
    }
  });
}

TEST_P(LegaliseType, unary_operations) {
  std::string_view type = type_name(GetParam());
  std::vector<std::vector<Value>> arguments;
  for (uint64_t x : boundary_values(GetParam())) arguments.push_back({{x, false}});
  for_each_opcode(Format::Unary, TypeSet::Int, [&](Opcode op) {
    if (op == Opcode::Bswap && bit_width(GetParam()) < 16) return;
    expect_same(fmt::format("func $f(%a: {0}) -> {0} {{\n@entry:\n  %x = {1}.{0} %a\n  ret %x\n}}\n", type,
                            info(op).name),
                arguments);
  });
}

TEST_P(LegaliseType, funnel_shifts) {
  std::string_view type = type_name(GetParam());
  std::vector<std::vector<Value>> arguments;
  uint64_t mask = value_mask(GetParam());
  for (uint64_t x : {uint64_t{0x1234'5678'9abc'def1}, uint64_t{0}}) {
    for (uint64_t y : {uint64_t{0xfedc'ba98'7654'3210}, UINT64_MAX}) {
      for (uint64_t amount : boundary_values(GetParam())) {
        arguments.push_back({{x & mask, false}, {y & mask, false}, {amount, false}});
      }
    }
  }
  for (std::string_view op : {"fshl", "fshr"}) {
    expect_same(
        fmt::format("func $f(%a: {0}, %b: {0}, %c: {0}) -> {0} {{\n@entry:\n  %x = {1}.{0} %a, %b, %c\n"
                    "  ret %x\n}}\n",
                    type, op),
        arguments);
  }
}

TEST_P(LegaliseType, comparisons_and_overflow) {
  std::string_view type = type_name(GetParam());
  auto check = [&](std::string op) {
    expect_same(
        fmt::format("func $f(%a: {0}, %b: {0}) -> i1 {{\n@entry:\n  %x = {1}.{0} %a, %b\n  ret %x\n}}\n",
                    type, op),
        pairs_of(GetParam(), GetParam()));
  };
  for_each_opcode(Format::Overflow, TypeSet::Int, [&](Opcode op) { check(std::string(info(op).name)); });
  for (int i = 0; i < kNumIntConds; ++i) check(fmt::format("cmp.{}", cond_name(static_cast<Cond>(i))));
}

TEST_P(LegaliseType, conversions) {
  std::vector<std::vector<Value>> arguments;
  for (uint64_t x : boundary_values(GetParam())) arguments.push_back({{x, false}});
  for (int i = 0; i < kNumTypes; ++i) {
    Type to = static_cast<Type>(i);
    for_each_opcode(Format::Convert, TypeSet::Any, [&](Opcode op) {
      if (to == Type::ptr || !converts(op, GetParam(), to)) return;
      expect_same(fmt::format("func $f(%a: {0}) -> {1} {{\n@entry:\n  %x = {2}.{0}.{1} %a\n  ret %x\n}}\n",
                              type_name(GetParam()), type_name(to), info(op).name),
                  arguments);
    });
  }
}

TEST_P(LegaliseType, guards_selects_and_loads) {
  std::string_view type = type_name(GetParam());
  std::vector<std::vector<Value>> arguments;
  for (uint64_t x : boundary_values(GetParam())) {
    for (uint64_t p : {0, 1}) arguments.push_back({{x, false}, {p, false}});
  }
  expect_same(fmt::format(R"(func $f(%a: {0}, %p: i1) -> {0} {{
@entry:
  %s = slot 24, align 8
  %t = ptradd %s, 8
  store.{0} %a, %s, align 1
  store.{0} %a, %t
  %x = xor.{0} %a, %a
  %p ? %x = load.{0} %s, align 1
  !%p ? store.volatile.{0} %x, %t
  %y = load.{0} %t
  %z = select %p, %x, %y
  %z = freeze.{0} %z
  !%p ? %z = mov %a
  ret %z
}}
)",
                          type),
              arguments);
}

INSTANTIATE_TEST_SUITE_P(integers, LegaliseType, ::testing::ValuesIn(kIntegers),
                         [](const auto& info) { return std::string(type_name(info.param)); });

class LegaliseNumber : public ::testing::TestWithParam<Type> {
 protected:
  std::vector<uint64_t> values() const {
    std::vector<double> numbers = {0.0, -0.0, 1.0, -1.5, 2.5, 1e10, -3e9, 1e-40, 1e300};
    std::vector<uint64_t> bits;
    for (double each : numbers) {
      bits.push_back(GetParam() == Type::f64 ? std::bit_cast<uint64_t>(each)
                                             : std::bit_cast<uint32_t>(static_cast<float>(each)));
    }
    bits.push_back(GetParam() == Type::f64 ? 0x7ff8'0000'0000'0000 : 0x7fc0'0000);
    bits.push_back(GetParam() == Type::f64 ? 0xfff0'0000'0000'0000 : 0xff80'0000);
    return bits;
  }
};

TEST_P(LegaliseNumber, operations) {
  std::string_view type = type_name(GetParam());
  std::vector<std::vector<Value>> two, one;
  for (uint64_t x : values()) {
    one.push_back({{x, false}});
    for (uint64_t y : values()) two.push_back({{x, false}, {y, false}});
  }
  for_each_opcode(Format::Binary, TypeSet::Float, [&](Opcode op) {
    expect_same(
        fmt::format("func $f(%a: {0}, %b: {0}) -> {0} {{\n@entry:\n  %x = {1}.{0} %a, %b\n  ret %x\n}}\n",
                    type, info(op).name),
        two);
  });
  for_each_opcode(Format::Unary, TypeSet::Float, [&](Opcode op) {
    expect_same(fmt::format("func $f(%a: {0}) -> {0} {{\n@entry:\n  %x = {1}.{0} %a\n  ret %x\n}}\n", type,
                            info(op).name),
                one);
  });
  for (int i = kNumIntConds; i < kNumConds; ++i) {
    expect_same(
        fmt::format("func $f(%a: {0}, %b: {0}) -> i1 {{\n@entry:\n  %x = cmp.{1}.{0} %a, %b\n  ret %x\n}}\n",
                    type, cond_name(static_cast<Cond>(i))),
        two);
  }
  for (int i = 0; i < kNumTypes; ++i) {
    Type to = static_cast<Type>(i);
    for_each_opcode(Format::Convert, TypeSet::Any, [&](Opcode op) {
      if (!converts(op, GetParam(), to)) return;
      expect_same(fmt::format("func $f(%a: {0}) -> {1} {{\n@entry:\n  %x = {2}.{0}.{1} %a\n  ret %x\n}}\n",
                              type, type_name(to), info(op).name),
                  one);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(numbers, LegaliseNumber, ::testing::Values(Type::f32, Type::f64),
                         [](const auto& info) { return std::string(type_name(info.param)); });

TEST(Legalise, switches_and_merges_of_wide_values) {
  std::vector<std::vector<Value>> arguments;
  for (uint64_t x :
       {uint64_t{0}, uint64_t{1}, uint64_t{5}, uint64_t{6}, uint64_t{77}, uint64_t{1} << 40, UINT64_MAX}) {
    arguments.push_back({{x, false}});
  }
  expect_same(R"(func $f(%a: i64) -> i64 {
@entry:
  %x = mov.i64 100
  %p = cmp.gt.i64 %a, 3
  %p ? %x = mov.i64 1099511627777
  switch.i64 %a, @other, [1: @one], [5: @two], [6: @two], [77: @one], [1099511627776: @three], [-1: @one]
@one:
  %x = add.i64 %x, %a
  br @loop
@two:
  %x = sub.i64 %a, %x
  br @loop
@three:
  ret 3
@other:
  br @loop
@loop:
  %x = lshr.i64 %x, 3
  %q = cmp.ugt.i64 %x, 1000
  br %q, @loop, @exit
@exit:
  ret %x
}
)",
              arguments);
}

TEST(Legalise, random_programs) {
  const Target& target = *find_target("tiny");
  for (std::string_view list : {"legalise(target=tiny)", "construct,legalise(target=tiny)",
                                "construct,if-convert(mode=all),legalise(target=tiny)"}) {
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      Module module = generate({.seed = seed, .size = 200, .pointer_bits = 32});
      PipelineResult result = run_passes(module, legalise_passes(list));
      ASSERT_TRUE(result) << list << " seed " << seed << ": " << result.message();
      Result<void> verified = verifies(module);
      EXPECT_TRUE(verified) << verified.message();
      EXPECT_EQ(left_illegal(module, target), "") << list << " seed " << seed;
    }
  }
}

TEST(Legalise, says_what_it_cannot_do) {
  auto refusal = [](std::string_view text, std::string_view list) {
    Module module = parse_or_die(text);
    PipelineResult result = run_passes(module, legalise_passes(list));
    return result ? std::string("no refusal") : result.message();
  };
  std::string_view add = "func $f(%a: i64) -> i64 {\n@entry:\n  %x = sdiv.i64 %a, %a\n  ret %x\n}\n";
  EXPECT_THAT(refusal(add, "legalise(target=tiny)"), HasSubstr("pointers of the module have 64 bits"));
  EXPECT_THAT(refusal(add, "legalise(target=hexagon)"), HasSubstr("has no instructions"));
  std::string other = "pointer 32\nextern func $__divdi3(i32) -> i32\n" + std::string(add);
  EXPECT_THAT(refusal(other, "legalise(target=tiny)"), HasSubstr("$__divdi3"));
}

TEST(Legalise, declares_only_the_routines_that_are_called) {
  Module module =
      parse_or_die("pointer 32\nfunc $f(%a: i64) -> i64 {\n@entry:\n  %x = sdiv.i64 %a, %a\n  ret %x\n}\n");
  ASSERT_TRUE(run_passes(module, legalise_passes("legalise(target=tiny)")));
  EXPECT_EQ(module.declarations().size(), 2u);
  EXPECT_TRUE(module.find_function("__divdi3"));
}

TEST(Routines, do_what_the_operation_does) {
  for (const RuntimeRoutine& routine : routines()) {
    EXPECT_EQ(find_routine(routine.name), &routine);
    if (routine.is_other) continue;
    bool is_compare = routine.kind == RuntimeRoutine::Kind::Compare;
    EXPECT_EQ(is_compare ? routine_for(routine.cond, routine.type)
                         : routine_for(routine.op, routine.type, routine.from),
              &routine);
  }
  EXPECT_EQ(find_routine("__nothing"), nullptr);
  // A NaN is in no order: each comparison of libgcc returns what makes its own condition false.
  uint64_t nan = 0x7ff8'0000'0000'0000, one = 0x3ff0'0000'0000'0000;
  auto call = [](std::string_view name, std::initializer_list<uint64_t> arguments) {
    return static_cast<int32_t>(
        call_routine(*find_routine(name), std::span(arguments.begin(), arguments.size()))->bits);
  };
  EXPECT_NE(call("__eqdf2", {nan, one}), 0);
  EXPECT_NE(call("__nedf2", {nan, one}), 0);
  EXPECT_GE(call("__ltdf2", {nan, one}), 0);
  EXPECT_GT(call("__ledf2", {nan, one}), 0);
  EXPECT_LE(call("__gtdf2", {nan, one}), 0);
  EXPECT_LT(call("__gedf2", {nan, one}), 0);
  EXPECT_NE(call("__unorddf2", {nan, one}), 0);
  EXPECT_EQ(call("__ltdf2", {one, one}), 0);
  EXPECT_EQ(call("__divsi3", {static_cast<uint32_t>(-7), 2}), -3);
  EXPECT_FALSE(call_routine(*find_routine("__divsi3"), std::array<uint64_t, 2>{1, 0}));
}

}  // namespace
}  // namespace psi
