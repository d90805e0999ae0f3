// External functions, variadic arguments, and what is recorded of them.
#include <fmt/format.h>

#include "interp_test_util.h"

namespace psi::interp_test {
namespace {

constexpr std::string_view kLibrary =
    "extern func $putchar(i32) -> i32\n"
    "extern func $puts(ptr) -> i32\n"
    "extern func $printf(ptr, ...) -> i32\n"
    "extern func $abort() noreturn\n"
    "extern func $exit(i32) noreturn\n";

std::string with_library(const std::string& text) { return std::string(kLibrary) + text; }

// What printf prints with this format (as in the text of a constant) and these arguments.
std::string printf_output(const std::string& format, const std::string& arguments = "") {
  return output_of(
      with_library(fmt::format("const $fmt {{ \"{}\\00\" }}\nconst $str {{ \"hello\\00\" }}\n"
                               "func $f() {{\n@e:\n  %n = call.i32 $printf($fmt{}{})\n  ret\n}}\n",
                               format, arguments.empty() ? "" : ", ", arguments)));
}

TEST(InterpExternals, PutcharAndPuts) {
  EXPECT_EQ(output_of(with_library("const $s { \"two\\00three\" }\n"
                                   "func $f() {\n@e:\n  %a = call.i32 $putchar(65)\n"
                                   "  %b = call.i32 $putchar(0x142)\n  %c = call.i32 $puts($s)\n  ret\n}\n")),
            "ABtwo\n");
}

TEST(InterpExternals, OutputComesInOrderAndWhole) {
  std::string text = with_library(
      "func $f() {\n@e:\n  %i = mov.i32 0\n  br @loop\n@loop:\n  %x = urem.i32 %i, 26\n  %c = add.i32 %x, "
      "97\n"
      "  %p = call.i32 $putchar(%c)\n  %i = add.i32 %i, 1\n  %m = cmp.lt.i32 %i, 20000\n"
      "  br %m, @loop, @done\n@done:\n  ret\n}\n");
  std::string expected;
  for (int i = 0; i < 20000; ++i) expected += static_cast<char>('a' + i % 26);
  EXPECT_EQ(output_of(text), expected);
}

TEST(InterpExternals, PrintfConversions) {
  EXPECT_EQ(printf_output("plain 100%%\\n"), "plain 100%\n");
  EXPECT_EQ(printf_output("%d %i|%u|%x %X|%o", "i32 -5, i32 7, i32 -1, i32 255, i32 255, i32 8"),
            "-5 7|4294967295|ff FF|10");
  EXPECT_EQ(printf_output("%ld %lld %zu %jx", "i64 -5, i64 -6, i64 -1, i64 255"),
            "-5 -6 18446744073709551615 ff");
  EXPECT_EQ(printf_output("%hd %hhd %hu %hhu", "i32 65535, i32 255, i32 65537, i32 257"), "-1 -1 1 1");
  EXPECT_EQ(printf_output("[%c][%3c][%-3c]", "i32 65, i32 66, i32 67"), "[A][  B][C  ]");
  EXPECT_EQ(printf_output("[%s][%7s][%-7s][%.2s]", "ptr $str, ptr $str, ptr $str, ptr $str"),
            "[hello][  hello][hello  ][he]");
  EXPECT_EQ(printf_output("%f %.2f %8.3f %g %e", "f64 1.5, f64 2.345, f64 -1.0, f64 0.0001, f64 12345.678"),
            "1.500000 2.35 "
            "  -1.000 0.0001 1.234568e+04");
  EXPECT_EQ(printf_output("[%5d][%-5d][%05d][%+d][% d][%#x][%.3d]",
                          "i32 42, i32 42, i32 42, i32 42, i32 42, i32 42, i32 7"),
            "[   42][42   ][00042][+42][ 42][0x2a][007]");
  EXPECT_EQ(
      printf_output("[%*d][%-*d][%*d][%.*f]", "i32 5, i32 1, i32 5, i32 2, i32 -5, i32 3, i32 1, f64 2.25"),
      "[    1][2    ][3    ][2.2]");
  EXPECT_EQ(printf_output("%p", "ptr null"), "(nil)");
}

TEST(InterpExternals, PrintfReturnsTheLength) {
  EXPECT_TRUE(returns(run(with_library("const $fmt { \"%d!\\00\" }\nfunc $f() -> i32 {\n@e:\n"
                                       "  %n = call.i32 $printf($fmt, i32 1234)\n  ret %n\n}\n")),
                      5));
}

TEST(InterpExternals, PrintfMisuse) {
  auto printf_of = [](const char* format, const char* arguments) {
    return run(
        with_library(fmt::format("const $fmt {{ \"{}\" }}\nfunc $f() {{\n@e:\n  %s = slot 4, align 4\n"
                                 "  %n = call.i32 $printf($fmt{})\n  ret\n}}\n",
                                 format, arguments)));
  };
  auto unsupported = Outcome::Status::Unsupported;
  EXPECT_TRUE(stops(printf_of("%d\\00", ""), unsupported, "wants more arguments than 0"));
  EXPECT_TRUE(stops(printf_of("%d\\00", ", i64 1"), unsupported, "must be i32, not i64"));
  EXPECT_TRUE(stops(printf_of("%n\\00", ", ptr null"), unsupported, "conversion %n"));
  EXPECT_TRUE(stops(printf_of("%\\00", ""), unsupported, "ends within a conversion"));
  EXPECT_TRUE(stops(printf_of("%999999999d\\00", ", i32 1"), unsupported, "width or precision"));
  EXPECT_TRUE(stops(printf_of("%*d\\00", ", i32 -2147483648, i32 1"), unsupported, "width or precision"));
  EXPECT_TRUE(is_undefined(printf_of("no end", ""), "offset 6 of $fmt, which has 6 bytes"));
  EXPECT_TRUE(is_undefined(printf_of("%s\\00", ", ptr %s"), "undef byte"));
  EXPECT_TRUE(is_undefined(printf_of("%s\\00", ", ptr null"), "null pointer"));
  EXPECT_TRUE(
      is_undefined(printf_of("%d\\00", ", i32 undef"), "argument 2 of the external function $printf"));
}

TEST(InterpExternals, ExitAndAbort) {
  Outcome outcome = run(with_library("func $f() {\n@e:\n  call $exit(-3)\n  unreachable\n}\n"));
  EXPECT_EQ(outcome.status, Outcome::Status::Exited);
  EXPECT_EQ(outcome.exit_code, -3);
  EXPECT_EQ(run(with_library("func $f() {\n@e:\n  call $abort()\n  unreachable\n}\n")).status,
            Outcome::Status::Aborted);
  // What was printed before is not lost.
  EXPECT_EQ(output_of(with_library(
                "func $f() {\n@e:\n  %x = call.i32 $putchar(65)\n  call $abort()\n  unreachable\n}\n")),
            "A");
}

TEST(InterpExternals, OddDeclarationsAreRefused) {
  auto unsupported = Outcome::Status::Unsupported;
  EXPECT_TRUE(stops(
      run("extern func $putchar(ptr) -> i32\nfunc $f() {\n@e:\n  %x = call.i32 $putchar(null)\n  ret\n}\n"),
      unsupported, "$putchar is called as (ptr) -> i32, but here it is (i32) -> i32"));
  EXPECT_TRUE(stops(run("extern func $puts() -> i32\nfunc $f() {\n@e:\n  %x = call.i32 $puts()\n  ret\n}\n"),
                    unsupported, "$puts"));
  EXPECT_TRUE(
      stops(run("extern func $malloc(i64) -> i64\nfunc $f() {\n@e:\n  %x = call.i64 $malloc(1)\n  ret\n}\n"),
            unsupported, "$malloc"));
  EXPECT_TRUE(stops(run("extern func $exit(i32, i32)\nfunc $f() {\n@e:\n  call $exit(1, 2)\n  ret\n}\n"),
                    unsupported, "$exit"));
  EXPECT_TRUE(
      stops(run("extern func $printf(i32) -> i32\nfunc $f() {\n@e:\n  %x = call.i32 $printf(1)\n  ret\n}\n"),
            unsupported, "$printf"));
  // A result that nobody declared is dropped.
  EXPECT_EQ(run("extern func $putchar(i32)\nfunc $f() {\n@e:\n  call $putchar(65)\n  ret\n}\n").status,
            Outcome::Status::Returned);
}

TEST(InterpExternals, IndirectCallsReachThem) {
  EXPECT_EQ(output_of(with_library(
                "func $f() {\n@e:\n  %p = mov.ptr $putchar\n  %x = call.i32 %p(i32 66)\n  ret\n}\n")),
            "B");
}

// --- Unknown ones -----------------------------------------------------------------------------------

// --- Marks of the stack -------------------------------------------------------------------------------

std::string with_marks(std::string_view body) {
  return fmt::format("extern func $llvm.stacksave.p0() -> ptr\nextern func $llvm.stackrestore.p0(ptr)\n{}",
                     body);
}

TEST(InterpStack, SlotsEndAtTheirMark) {
  std::string text = with_marks(
      "func $f(%early: i1) -> i32 {\n@e:\n  %a = slot 4, align 4\n  store.i32 3, %a\n"
      "  %m = call.ptr $llvm.stacksave.p0()\n  %b = slot 4, align 4\n  store.i32 4, %b\n"
      "  %early ? call $llvm.stackrestore.p0(%m)\n  %x = load.i32 %b\n  call $llvm.stackrestore.p0(%m)\n"
      "  %y = load.i32 %a\n  %z = add.i32 %x, %y\n  ret %z\n}\n");
  EXPECT_TRUE(returns(run(text, {{0}}), 7));
  EXPECT_TRUE(is_undefined(run(text, {{1}}), "in a slot that has ended"));
}

TEST(InterpStack, MarksAreCheckedAndNotObserved) {
  EXPECT_TRUE(is_undefined(
      run(with_marks("func $f() {\n@e:\n  call $llvm.stackrestore.p0(null)\n  ret\n}\n")), "a mark"));
  // A mark of a caller takes its slots, too; nothing but their use is wrong.
  InterpretOptions options;
  options.record = true;
  Outcome outcome = run(
      with_marks(
          "func $f() -> i32 {\n@e:\n  %m = call.ptr $llvm.stacksave.p0()\n  %s = slot 4, align 4\n"
          "  call $g(%m)\n  ret 1\n}\n"
          "func $g(%m: ptr) {\n@e:\n  %s = slot 4, align 4\n  call $llvm.stackrestore.p0(%m)\n  ret\n}\n"),
      {}, options);
  EXPECT_TRUE(returns(outcome, 1));
  EXPECT_TRUE(outcome.calls.empty());
}

TEST(InterpStack, VariadicArgumentsStay) {
  EXPECT_TRUE(
      returns(run(with_marks("func $f() -> i32 {\n@e:\n  %r = call.i32 $g(0, i32 5)\n  ret %r\n}\n"
                             "func $g(%n: i32, ...) -> i32 {\n@e:\n  %l = slot 24, align 8\n"
                             "  %m = call.ptr $llvm.stacksave.p0()\n  %s = slot 64, align 8\n  va_start %l\n"
                             "  call $llvm.stackrestore.p0(%m)\n  %x = va_arg.i32 %l\n  ret %x\n}\n")),
              5));
}

TEST(InterpStub, UnknownFunctionsAreNamed) {
  EXPECT_TRUE(
      stops(run("extern func $sin(f64) -> f64\nfunc $f() {\n@e:\n  %x = call.f64 $sin(1.0)\n  ret\n}\n"),
            Outcome::Status::Unsupported, "$sin"));
}

Outcome stubbed(const std::string& text, bool record = false) {
  InterpretOptions options;
  options.stub_externals = true;
  options.record = record;
  return run(text, {}, options);
}

TEST(InterpStub, ResultsAreReproducible) {
  std::string text =
      "extern func $next(i32) -> i32\nfunc $f() -> i32 {\n@e:\n  %x = call.i32 $next(1)\n"
      "  %y = call.i32 $next(1)\n  %r = xor.i32 %x, %y\n  ret %r\n}\n";
  Outcome first = stubbed(text);
  ASSERT_EQ(first.status, Outcome::Status::Returned);
  // Different calls, different results; another run, the same ones.
  EXPECT_NE(first.result.bits, 0u);
  EXPECT_EQ(stubbed(text).result, first.result);
}

TEST(InterpStub, ResultsFitTheirType) {
  auto result = [](const std::string& type) {
    return stubbed("extern func $e() -> " + type + "\nfunc $f() -> " + type + " {\n@e:\n  %x = call." + type +
                   " $e()\n  ret %x\n}\n");
  };
  EXPECT_LE(result("i1").result.bits, 1u);
  EXPECT_LE(result("i8").result.bits, 0xffu);
  EXPECT_EQ(result("f64").status, Outcome::Status::Returned);
  EXPECT_TRUE(stops(result("ptr"), Outcome::Status::Unsupported, "pointer"));
}

TEST(InterpStub, CallsWithoutEffectAreNotObserved) {
  Outcome outcome = stubbed(
      "extern func $pure(i32) -> i32 readnone\nextern func $look(i32) -> i32 readonly\nextern func $act(i32) "
      "-> i32\n"
      "func $f() -> i32 {\n@e:\n  %a = call.i32 $pure(1)\n  %z = call.i32 $act(1)\n  %b = call.i32 $pure(1)\n"
      "  %l = call.i32 $look(4)\n  %r = xor.i32 %a, %b\n  ret %r\n}\n",
      true);
  EXPECT_TRUE(returns(outcome, 0));
  ASSERT_EQ(outcome.calls.size(), 1u);
  EXPECT_EQ(outcome.calls[0].callee, "act");
}

TEST(InterpStub, SlotsPassedDoNotChangeTheResult) {
  auto result = [](const char* before) {
    return stubbed(
               fmt::format("extern func $e(ptr) -> i64\nfunc $f() -> i64 {{\n@e:\n  {}%s = slot 8, align 8\n"
                           "  %r = call.i64 $e(%s)\n  ret %r\n}}\n",
                           before))
        .result;
  };
  EXPECT_EQ(result(""), result("%t = slot 8, align 8\n  "));
}

TEST(InterpStub, NoreturnEndsTheRun) {
  EXPECT_EQ(
      stubbed("extern func $die() noreturn\nfunc $f() {\n@e:\n  call $die()\n  unreachable\n}\n").status,
      Outcome::Status::Aborted);
}

// --- Variadic functions -----------------------------------------------------------------------------

constexpr std::string_view kSum =
    "func $sum(%n: i32, ...) -> i64 {\n@e:\n  %ap = slot 24, align 8\n  va_start %ap\n  %s = mov.i64 0\n"
    "  br @test\n@test:\n  %z = cmp.eq.i32 %n, 0\n  br %z, @done, @more\n"
    "@more:\n  %x = va_arg.i32 %ap\n  %y = sext.i32.i64 %x\n  %s = add.i64 %s, %y\n  %n = sub.i32 %n, 1\n  "
    "br @test\n"
    "@done:\n  va_end %ap\n  ret %s\n}\n";

TEST(InterpVariadic, ArgumentsInOrder) {
  EXPECT_TRUE(
      returns(run(std::string(kSum) +
                  "func $f() -> i64 {\n@e:\n  %r = call.i64 $sum(3, i32 10, i32 -4, i32 100)\n  ret %r\n}\n"),
              106));
}

TEST(InterpVariadic, PastTheLastIsUndefined) {
  EXPECT_TRUE(is_undefined(
      run(std::string(kSum) + "func $f() -> i64 {\n@e:\n  %r = call.i64 $sum(2, i32 10)\n  ret %r\n}\n"),
      "va_arg of 4 bytes at offset 8 of the variadic arguments, which has 8 bytes"));
}

TEST(InterpVariadic, UndefIsPassedOn) {
  EXPECT_TRUE(gives_undef(
      run(std::string(kSum) + "func $f() -> i64 {\n@e:\n  %r = call.i64 $sum(1, i32 undef)\n  ret %r\n}\n")));
  EXPECT_TRUE(
      returns(run(std::string(kSum) +
                  "func $f() -> i64 {\n@e:\n  %r = call.i64 $sum(1, i32 5, i32 undef)\n  ret %r\n}\n"),
              5));
}

TEST(InterpVariadic, TypesAndCopies) {
  const char* text =
      "func $g(%k: i32, ...) -> f64 {\n@e:\n  %ap = slot 24, align 8\n  %aq = slot 24, align 8\n"
      "  va_start %ap\n  %a = va_arg.f64 %ap\n  va_copy %aq, %ap\n  %p = va_arg.ptr %ap\n  %b = load.f64 %p\n"
      "  %q = va_arg.ptr %aq\n  %c = load.f64 %q\n  va_end %aq\n  va_end %ap\n"
      "  %s = fadd.f64 %a, %b\n  %r = fadd.f64 %s, %c\n  ret %r\n}\n"
      "func $f() -> f64 {\n@e:\n  %s = slot 8, align 8\n  store.f64 0.5, %s\n"
      "  %r = call.f64 $g(0, f64 1.25, ptr %s)\n  ret %r\n}\n";
  EXPECT_TRUE(returns(run(text), bits(2.25)));
}

TEST(InterpVariadic, TheListLooksAsTheAbiSays) {
  auto word = [](int offset) {
    return run(fmt::format("func $g(%k: i32, ...) -> i32 {{\n@e:\n  %ap = slot 24, align 8\n  va_start %ap\n"
                           "  %p = ptradd %ap, {}\n  %x = load.i32 %p\n  ret %x\n}}\n"
                           "func $f() -> i32 {{\n@e:\n  %r = call.i32 $g(0, i64 1)\n  ret %r\n}}\n",
                           offset))
        .result.bits;
  };
  EXPECT_EQ(word(0), 48u);
  EXPECT_EQ(word(4), 176u);
  EXPECT_EQ(word(16), 0u);
  EXPECT_EQ(word(20), 0u);
}

TEST(InterpVariadic, AListThatWasNotStarted) {
  EXPECT_TRUE(is_undefined(
      run("func $f(...) -> i32 {\n@e:\n  %ap = slot 24, align 8\n  %x = va_arg.i32 %ap\n  ret %x\n}\n"),
      "not started"));
  EXPECT_TRUE(is_undefined(run("func $f(...) {\n@e:\n  %ap = slot 16, align 8\n  va_start %ap\n  ret\n}\n"),
                           "24 bytes at offset 0 of a slot, which has 16 bytes"));
}

// --- Recording --------------------------------------------------------------------------------------

TEST(InterpRecord, CallsAndMemory) {
  InterpretOptions options;
  options.record = true;
  Module module =
      parse_program(with_library("global $g align 4 { i32 1, i32 2 }\nconst $c { i32 3 }\n"
                                 "func $f() {\n@e:\n  %x = call.i32 $putchar(65)\n  store.i32 7, $g\n  call "
                                 "$exit(0)\n  unreachable\n}\n"));
  Outcome outcome = run(module, {}, options);
  ASSERT_EQ(outcome.calls.size(), 2u);
  EXPECT_EQ(outcome.calls[0], (ExternalCall{"putchar", {{65, false}}, "A"}));
  EXPECT_EQ(outcome.calls[1], (ExternalCall{"exit", {{0, false}}, ""}));
  ASSERT_EQ(outcome.memory.size(), 1u);
  EXPECT_EQ(outcome.memory[0].first, *module.find_symbol("g"));
  ASSERT_EQ(outcome.memory[0].second.size(), 8u);
  EXPECT_EQ(outcome.memory[0].second[0], (Value{7, false}));
  EXPECT_EQ(outcome.memory[0].second[4], (Value{2, false}));
  EXPECT_TRUE(run(module).calls.empty());
  EXPECT_TRUE(run(module).memory.empty());
}

}  // namespace
}  // namespace psi::interp_test
