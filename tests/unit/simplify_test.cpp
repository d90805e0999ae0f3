#include "psi/optimise/simplify.h"

#include <gtest/gtest.h>

#include "iterations.h"
#include "parsing.h"
#include "psi/pipeline/pipeline.h"
#include "psi/testing/fuzz.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

using testing::parse_or_die;

// The body of the first function after simplification.
std::string simplified(std::string_view text, Counters* counted = nullptr, Remarks* remarks = nullptr) {
  Module module = parse_or_die(text);
  Function& function = module.function(module.declarations()[0]);
  Analyses analyses(function);
  Counters counters;
  StepTimes times;
  PassArguments arguments;
  PassContext context = {module, function, analyses, arguments, counters, times, remarks};
  simplify(context);
  Result<void> verified = verifies(module);
  EXPECT_TRUE(verified) << render(verified, "result", {}) << print(module);
  if (counted) counted->add(counters);
  return print(module);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Dividing by a register may trap, so it must not become something that is computed elsewhere or more often;
// by itself the quotient is one wherever there is one.
TEST(Simplify, DivisionsDoNotAppear) {
  std::string text = simplified(R"(
    func $f(%a: i32, %b: i32) -> i32 ssa {
    @entry:
      %q = udiv.i32 %a, %b
      %r = mul.i32 %q, %b
      %s = sub.i32 %a, %r
      ret %s
    })");
  EXPECT_TRUE(has(text, "udiv")) << text;
  EXPECT_FALSE(has(text, "urem")) << text;
}

// A shift of a shift by more than the width together is zero, not undef.
TEST(Simplify, ShiftsDoNotBecomeUndef) {
  std::string text = simplified(R"(
    func $f(%a: i32) -> i32 ssa {
    @entry:
      %x = shl.i32 %a, 20
      %y = shl.i32 %x, 20
      ret %y
    })");
  EXPECT_TRUE(has(text, "ret 0")) << text;
}

// What a select does not read may be undef; `and` of bits reads no more. Of wider integers it would.
TEST(Simplify, SelectsOfBitsBecomeLogic) {
  std::string bits = simplified(R"(
    func $f(%p: i1, %q: i1) -> i1 ssa {
    @entry:
      %x = select.i1 %p, %q, false
      ret %x
    })");
  EXPECT_TRUE(has(bits, "and.i1 %p, %q")) << bits;
  std::string words = simplified(R"(
    func $f(%p: i1, %a: i32) -> i32 ssa {
    @entry:
      %x = select.i32 %p, %a, 0
      ret %x
    })");
  EXPECT_TRUE(has(words, "select")) << words;
}

// x * 1.0 turns every NaN into one; x does not.
TEST(Simplify, NansKeepTheirBits) {
  std::string text = simplified(R"(
    func $f(%a: f64) -> f64 ssa {
    @entry:
      %x = fmul.f64 %a, 1.0
      %y = fmul.f64 %x, 1.0
      ret %y
    })");
  EXPECT_TRUE(has(text, "%x = fmul.f64 %a, 1.0")) << text;
  EXPECT_TRUE(has(text, "ret %x")) << text;
}

TEST(Simplify, KeepsVolatileLoads) {
  std::string text = simplified(R"(
    func $f(%p: ptr) ssa {
    @entry:
      %x = load.volatile.i32 %p
      %y = load.i32 %p
      %z = add.i32 %y, 0
      ret
    })");
  EXPECT_TRUE(has(text, "%x = load.volatile")) << text;
  EXPECT_FALSE(has(text, "%y")) << text;
}

TEST(Simplify, CountsAndRemarks) {
  Counters counters;
  Remarks remarks;
  simplified(R"(
    func $f(%a: i32) -> i32 ssa {
    @entry:
      %x = mul.i32 %a, 8
      %unused = xor.i32 %x, %a
      ret %x
    })",
             &counters, &remarks);
  EXPECT_EQ(counters["rules applied"], 1u);
  EXPECT_EQ(counters["instructions removed"], 1u);
  ASSERT_EQ(remarks.all().size(), 1u);
  EXPECT_EQ(remarks.all()[0].message, "mul by power");
}

// A second time there is nothing to do.
TEST(Simplify, IsDoneOnce) {
  Result<PassList> first = parse_passes(PassTable::builtin(), "construct,simplify");
  Result<PassList> second = parse_passes(PassTable::builtin(), "simplify");
  ASSERT_TRUE(first && second);
  uint32_t changed = 0;
  for (uint64_t seed = 0; seed < testing::iterations(100u); ++seed) {
    GenerateOptions options;
    options.seed = seed;
    Module module = generate(options);
    EXPECT_TRUE(run_passes(module, *first, {}));
    std::string once = print(module);
    EXPECT_TRUE(run_passes(module, *second, {}));
    changed += print(module) != once;
  }
  // What is known of a phi's bits is not propagated around loops, so that a little may be left.
  EXPECT_LE(changed, 3u);
}

TEST(Simplify, RefinesPrograms) {
  for (std::string_view passes : {"construct,simplify", "construct,scramble(seed=2),simplify,destruct",
                                  "construct(psi-inline=on),scramble(seed=4),simplify,destruct"}) {
    Result<PassList> list = parse_passes(PassTable::builtin(), passes);
    ASSERT_TRUE(list) << list.diagnostics().first_error();
    FuzzOptions options;
    options.count = 200;
    for (const FuzzFailure& failure : fuzz(*list, options).failures) {
      ADD_FAILURE() << passes << ": " << failure.reduced_why << "\n" << failure.reduced;
    }
  }
}

}  // namespace
}  // namespace psi
