// Which outcomes of a transformed program are allowed.
#include <fmt/format.h>

#include "interp_test_util.h"

namespace psi::interp_test {
namespace {

constexpr std::string_view kWorld =
    "global $g align 8 { i64 1, i64 2 }\n"
    "extern func $putchar(i32) -> i32\nextern func $use(ptr) -> i32\nextern func $exit(i32)\n"
    "extern func $abort()\n";

Outcome outcome_of(const std::string& body, const std::vector<Value>& arguments = {{0}, {0}}) {
  InterpretOptions options;
  options.record = true;
  options.stub_externals = true;
  options.undef_stores = true;
  options.fuel = 1000;
  return run(fmt::format("{}func $f(%a: i32, %u: i64) -> i32 {{\n@e:\n  {}\n}}\n", kWorld, body), arguments,
             options);
}

// The difference; empty if `after` refines `before`.
std::string difference(const std::string& before, const std::string& after,
                       const std::vector<Value>& arguments = {{0}, {0}}) {
  return refines(outcome_of(before, arguments), outcome_of(after, arguments)).message();
}

TEST(InterpRefine, ResultsMustAgree) {
  EXPECT_EQ(difference("ret 1", "ret 1"), "");
  EXPECT_EQ(difference("ret 1", "ret 2"), "result 0x1 before, 0x2 after");
}

TEST(InterpRefine, AnOriginalWithoutMeaningAllowsEverything) {
  EXPECT_EQ(difference("unreachable", "ret 2"), "");
  EXPECT_EQ(difference("br @x\n@x:\n  br @x", "ret 2"), "");
  EXPECT_EQ(difference("ret undef", "unreachable"), "");
}

TEST(InterpRefine, NoNewUndefinedBehaviour) {
  EXPECT_EQ(
      difference("ret 1", "unreachable"),
      "returned before, reached undefined behaviour after (undefined behaviour: unreachable was reached)");
  EXPECT_NE(difference("ret 1", "br @x\n@x:\n  br @x"), "");
}

TEST(InterpRefine, CallsMustAgree) {
  std::string a = "%x = call.i32 $putchar(65)\n  ";
  std::string b = "%y = call.i32 $putchar(66)\n  ";
  EXPECT_EQ(difference(a + b + "ret 0", a + b + "ret 0"), "");
  EXPECT_EQ(difference(a + b + "ret 0", b + a + "ret 0"),
            "external call 1: $putchar(0x41) printing \"A\" before, $putchar(0x42) printing \"B\" after");
  EXPECT_EQ(difference(a + b + "ret 0", a + "ret 0"),
            "2 external calls before, 1 after; the first lost: $putchar(0x42) printing \"B\"");
  EXPECT_EQ(difference(a + "ret 0", a + b + "ret 0"),
            "1 external calls before, 2 after; the first added: $putchar(0x42) printing \"B\"");
}

TEST(InterpRefine, EndsMustAgree) {
  EXPECT_EQ(difference("call $exit(1)\n  unreachable", "call $exit(1)\n  unreachable"), "");
  EXPECT_NE(difference("call $exit(1)\n  unreachable", "call $exit(2)\n  unreachable"), "");
  EXPECT_NE(difference("call $exit(1)\n  unreachable", "ret 0"), "");
  EXPECT_NE(difference("call $abort()\n  unreachable", "unreachable"), "");
}

TEST(InterpRefine, MemoryAtExitMustAgree) {
  EXPECT_EQ(difference("store.i64 5, $g\n  ret 0", "store.i64 4, $g\n  store.i64 5, $g\n  ret 0"), "");
  EXPECT_NE(difference("store.i64 5, $g\n  ret 0", "ret 0"), "");
  EXPECT_NE(difference("ret 0", "%p = ptradd $g, 15\n  store.i8 1, %p\n  ret 0"), "");
}

TEST(InterpRefine, UndefMayBecomeAnythingButNotTheReverse) {
  std::vector<Value> arguments = {{0}, kUndef};
  EXPECT_EQ(difference("store.i64 %u, $g\n  ret 0", "store.i64 77, $g\n  ret 0", arguments), "");
  EXPECT_EQ(difference("store.i64 %u, $g\n  ret 0", "ret 0", arguments), "");
  EXPECT_NE(difference("ret 0", "store.i64 %u, $g\n  ret 0", arguments), "");
}

TEST(InterpRefine, SlotsMayBeRenumbered) {
  std::string slot = "%s = slot 16, align 8\n  ";
  std::string two = "%t = slot 16, align 8\n  %s = slot 16, align 8\n  ";
  EXPECT_EQ(difference(slot + "store.ptr %s, $g\n  ret 0", two + "store.ptr %s, $g\n  ret 0"), "");
  EXPECT_NE(
      difference(slot + "store.ptr %s, $g\n  ret 0", slot + "%q = ptradd %s, 4\n  store.ptr %q, $g\n  ret 0"),
      "");
  EXPECT_EQ(difference(slot + "%x = call.i32 $use(%s)\n  ret %x", two + "%x = call.i32 $use(%s)\n  ret %x"),
            "");
  // Numbers are no slots, however large.
  EXPECT_NE(
      difference("store.i64 0x8000000000000000, $g\n  ret 0", "store.i64 0x8000000000000001, $g\n  ret 0"),
      "");
}

TEST(InterpRefine, FormsAgree) {
  // The same function in plain and in SSA form, for every input.
  const char* plain =
      "func $f(%a: i32, %b: i32) -> i32 {\n@e:\n  %p = cmp.lt.i32 %a, %b\n  %x = mov %a\n  %p ? %x = mov %b\n"
      "  %q = cmp.gt.i32 %x, 10\n  %q ? %x = sub.i32 %x, 10\n  ret %x\n}\n";
  const char* ssa =
      "func $f(%a: i32, %b: i32) -> i32 ssa {\n@e:\n  %p = cmp.lt.i32 %a, %b\n  %p ? %x1 = mov %b\n"
      "  %x2 = psi %a, %p ? %x1\n  %q = cmp.gt.i32 %x2, 10\n  %q ? %x3 = sub.i32 %x2, 10\n"
      "  %x4 = psi %x2, %q ? %x3\n  ret %x4\n}\n";
  Module before = parse_program(plain);
  Module after = parse_program(ssa);
  InterpretOptions options;
  options.record = true;
  for (uint64_t a = 0; a < 20; a += 3) {
    for (uint64_t b = 0; b < 20; b += 2) {
      Result<void> refined = refines(run(before, {{a}, {b}}, options), run(after, {{a}, {b}}, options));
      EXPECT_TRUE(refined) << refined.message();
    }
  }
}

}  // namespace
}  // namespace psi::interp_test
