#include "psi/predication/reverse_if_convert.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "destruct_testing.h"
#include "parsing.h"
#include "pass_testing.h"
#include "psi/interp/interpret.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::parse_or_die;
using testing::RunOnFunction;
using testing::run_pass;
using testing::run_recorded;

bool has_guards_or_cmpps(const Function& function) {
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      if (function.inst(id).guard || function.inst(id).op == Opcode::Cmpp) return true;
    }
  }
  return false;
}

// Without guards, $f does the same for all values of its predicates, undef included, and a few numbers. A
// second time changes nothing.
RunOnFunction reversed(const std::string& body, const char* pass = "reverse-if-convert") {
  Module before = parse_or_die("extern func $use(i32)\nextern func $leave(i32)\nfunc $f" + body + "}\n");
  Module after = before;
  RunOnFunction run = run_pass(after, pass, "f");
  const Function& f = *after.find_function("f");
  EXPECT_EQ(has_guards_or_cmpps(f), std::string_view(pass).find("keep") != std::string_view::npos);
  std::vector<std::vector<Value>> lists = {{}};
  for (Type type : f.signature.params) {
    std::vector<Value> values = {{0}, {1}, {0, true}};
    if (type != Type::i1) values = {{0}, {3}, {12}};
    std::vector<std::vector<Value>> longer;
    for (const auto& list : lists) {
      for (Value value : values) longer.push_back(list), longer.back().push_back(value);
    }
    lists = std::move(longer);
  }
  uint32_t finished = 0;
  for (const std::vector<Value>& arguments : lists) {
    Outcome expected = run_recorded(before, f.symbol, arguments);
    finished += expected.status == Outcome::Status::Returned;
    Result<void> refined = refines(expected, run_recorded(after, f.symbol, arguments));
    EXPECT_TRUE(refined) << refined.message() << "\n" << run.text;
  }
  EXPECT_GT(finished, 0u);
  EXPECT_EQ(run_pass(after, pass, "f").text, run.text);
  return run;
}

TEST(ReverseIfConvert, EqualAndComplementaryGuardsShareABranch) {
  RunOnFunction run = reversed(R"((%p: i1, %a: i32) -> i32 {
@entry:
  %x = mov.i32 %a
  %p ? %x = add.i32 %x, 1
  !%p ? %x = sub.i32 %x, 1
  %y = mul.i32 %a, 3
  %p ? %x = add.i32 %x, %y
  !%p ? call $use(%x)
  ret %x
)");
  EXPECT_EQ(run.counters["guards removed"], 4u);
  EXPECT_EQ(run.counters["branches added"], 1u);
  EXPECT_EQ(run.counters["blocks added"], 3u);
  EXPECT_EQ(run.counters["runs merged"], 3u);
}

// All of these lie within %p; the last two exclude each other and leave nothing of it.
TEST(ReverseIfConvert, GuardsWithinOthersAreNested) {
  RunOnFunction run = reversed(R"((%p: i1, %c: i1, %d: i1, %a: i32) -> i32 {
@entry:
  %x = mov.i32 %a
  %q = and.i1 %p, %c
  %n = not.i1 %c
  %r = and.i1 %n, %p
  %s = mov.i1 false
  %p ? %s = mov %d
  %p ? %x = add.i32 %x, 1
  %s ? %x = mul.i32 %x, 2
  %q ? %x = add.i32 %x, 5
  %r ? %x = add.i32 %x, 7
  ret %x
)");
  EXPECT_EQ(run.counters["branches added"], 3u);
}

// %p, %c and their conjunction are read by nothing where the program does not: %c may be undef.
TEST(ReverseIfConvert, ReadsNoPredicateThatMayBeUndef) {
  RunOnFunction run = reversed(R"((%p: i1, %c: i1) -> i32 {
@entry:
  %x = mov.i32 0
  %q = and.i1 %p, %c
  %q ? %x = mov.i32 1
  ret %x
)");
  EXPECT_EQ(run.text.find("br %p"), std::string::npos);
  EXPECT_EQ(run.text.find("br %c"), std::string::npos);
}

// A guard is another one from where its register is written, be it under a guard, in one arm only, or by a
// cmpp that also reads it.
TEST(ReverseIfConvert, RunsEndWhereTheGuardIsWritten) {
  RunOnFunction run = reversed(R"((%p: i1, %q: i1, %a: i32) -> i32 {
@entry:
  %x = mov.i32 0
  %p ? %x = add.i32 %x, 1
  %p = xor.i1 %p, %q
  %p ? %x = add.i32 %x, 2
  !%p ? %p = mov %q
  %p ? %x = add.i32 %x, 4
  %q ? %q, %p = cmpp.uc.on.lt.i32 %a, 10 if %p
  %p ? %x = add.i32 %x, 8
  %q ? %x = add.i32 %x, 16
  ret %x
)");
  EXPECT_GE(run.counters["branches added"], 5u);
}

// %leave may not return: the guard, which may be undef, is not read before.
TEST(ReverseIfConvert, NothingIsReadBeforeACallThatMayNotReturn) {
  RunOnFunction run = reversed(R"((%p: i1, %q: i1, %a: i32) -> i32 {
@entry:
  %x = mov.i32 %a
  %p ? %x = add.i32 %x, 1
  %r = and.i1 %p, %q
  call $leave(%a)
  %r ? %x = sdiv.i32 %x, %a
  ret %x
)");
  size_t call = run.text.find("call $leave");
  EXPECT_LT(call, run.text.find("sdiv"));
  EXPECT_LT(call, run.text.find("br %r"));
}

TEST(ReverseIfConvert, MemoryKeepsItsOrder) {
  reversed(R"((%p: i1, %a: i32) -> i32 {
@entry:
  %s = slot 8, align 8
  store.i32 %a, %s
  %x = mov.i32 0
  %p ? store.i32 5, %s
  %y = load.i32 %s
  %p ? store.i32 6, %s
  %z = load.i32 %s
  !%p ? %x = load.i32 %s
  store.i32 9, %s
  %p ? %x = add.i32 %y, %z
  ret %x
)");
}

TEST(ReverseIfConvert, SideExits) {
  RunOnFunction run = reversed(R"((%p: i1, %q: i1, %a: i32) -> i32 {
@entry:
  %x = mov.i32 %a
  %p ? %x = add.i32 %x, 1
  %q ? br @out
  !%p ? switch.i32 %a, @out, [3: @three]
  %p ? br %q, @three, @out
  br @never
@three:
  ret 3
@out:
  call $use(%x)
  ret %x
@never:
  unreachable
)");
  EXPECT_EQ(run.counters["instructions dropped"], 1u);
  EXPECT_EQ(run.counters["blocks removed"], 2u);
}

TEST(ReverseIfConvert, AllCmpps) {
  for (const char* input : {"", " if %r", " if !%r", " if %p", " if !%q"}) {
    for (const char* guard : {"", "%r ? ", "!%p ? ", "%q ? "}) {
      for (const char* actions : {"un.uc", "uc.un", "on.oc", "an.ac", "cn.cc", "cc.an", "oc.un", "uc.on"}) {
        std::string body = fmt::format(R"((%p: i1, %q: i1, %r: i1, %a: i32) -> i32 {{
@entry:
  {}%p, %q = cmpp.{}.lt.i32 %a, 5{}
  %x = mov.i32 0
  %p ? %x = add.i32 %x, 1
  %q ? %x = add.i32 %x, 2
  ret %x
)",
                                       guard, actions, input);
        SCOPED_TRACE(body);
        reversed(body);
        reversed(body, "reverse-if-convert(cmpp=keep)");
      }
    }
  }
}

TEST(ReverseIfConvert, CountsOfWhatIsAlwaysReachedStay) {
  Module module = parse_or_die(R"(func $f(%p: i1, %x: i32) -> i32 {
@entry: count 7
  %p ? %x = add.i32 %x, 1
  ret %x
}
)");
  run_pass(module, "reverse-if-convert", "f");
  const Function& f = *module.find_function("f");
  EXPECT_EQ(f.count(f.layout().front()), 7u);
  EXPECT_EQ(f.count(f.layout().back()), 7u);
  EXPECT_FALSE(f.count(f.layout()[1]));
}

// 200,000 instructions: under alternating guards that cannot move together, under guards each within the one
// before, and under one guard alone.
TEST(ReverseIfConvert, LargeBlocks) {
  constexpr int kCount = 100'000;
  std::string text = "func $f(%p: i1, %q: i1, %i: i32) -> i32 {\n@entry:\n  %p0 = mov %p\n";
  for (int k = 0; k < kCount / 2; ++k) {
    text += fmt::format("  {} ? %i = add.i32 %i, {}\n", k % 3 ? "%p" : "%q", k);
  }
  for (int k = 0; k < kCount / 2; ++k) {
    text += fmt::format("  %p{} = cmpp.un.lt.i32 %i, {} if %p{}\n  %p{} ? %i = add.i32 %i, 1\n", k + 1, k, k,
                        k + 1);
  }
  Module module = parse_or_die(text + "  ret %i\n}\n");
  RunOnFunction run = run_pass(module, "reverse-if-convert", "f");
  EXPECT_EQ(run.counters["guards removed"], static_cast<uint64_t>(kCount));
  EXPECT_FALSE(has_guards_or_cmpps(*module.find_function("f")));
}

}  // namespace
}  // namespace psi
