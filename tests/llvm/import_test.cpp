// Each rule of the import: a small module of LLVM IR in both modes, verified and run.

#include <gmock/gmock.h>

#include <bit>

#include "importing.h"

namespace psi {
namespace {

// --- Reading ----------------------------------------------------------------------------------------------

TEST(LlvmRead, TextAndBitcodeAreTheSameModule) {
  auto from_text = read_text("define i32 @f(i32 %a) {\n  %r = add i32 %a, 1\n  ret i32 %r\n}\n");
  ASSERT_TRUE(from_text);
  EXPECT_EQ(from_text->num_instructions(), 2u);
  Result<LlvmModule> from_bitcode = LlvmModule::read(from_text->bitcode(), "test.bc");
  ASSERT_TRUE(from_bitcode) << from_bitcode.message();
  auto body = [](const std::string& text) { return text.substr(text.find("define")); };
  EXPECT_EQ(body(from_bitcode->text()), body(from_text->text()));
}

TEST(LlvmRead, SaysWhatIsWrong) {
  auto error_of = [](std::string_view contents, std::string_view name) {
    Result<LlvmModule> module = LlvmModule::read(contents, name);
    EXPECT_FALSE(module);
    return module.message();
  };
  EXPECT_THAT(error_of("define i32 @f() {\n  ret i64 0\n}\n", "bad.ll"), ::testing::HasSubstr("bad.ll:2"));
  EXPECT_THAT(error_of("BC\xc0\xde and then nothing", "bad.bc"), ::testing::HasSubstr("bad.bc"));
  // Well formed, but a use that its definition does not dominate.
  EXPECT_THAT(
      error_of("define i32 @f() {\n  %a = add i32 %b, 1\n  %b = add i32 1, 1\n  ret i32 %a\n}\n", "use.ll"),
      ::testing::HasSubstr("dominate"));
}

// --- Modules ----------------------------------------------------------------------------------------------

TEST(Import, KeepsNamesAndAttributes) {
  Module module = import_text(R"(
declare i32 @pure(i32) nounwind willreturn memory(none)
declare i32 @reader(ptr) nounwind willreturn memory(read)
declare void @stop() noreturn nounwind
declare i32 @endless(i32) memory(none)
define i32 @"odd name"(i32 %count) {
start:
  %sum = add i32 %count, 1
  ret i32 %sum
}
)",
                              ImportMode::Ssa);
  EXPECT_TRUE(module.find_function("pure")->attributes.readnone);
  EXPECT_TRUE(module.find_function("reader")->attributes.readonly);
  EXPECT_FALSE(module.find_function("reader")->attributes.readnone);
  EXPECT_TRUE(module.find_function("stop")->attributes.noreturn);
  EXPECT_FALSE(module.find_function("endless")->attributes.readnone);
  const Function& f = *module.find_function("odd name");
  EXPECT_EQ(f.name(f.params[0]), "count");
  EXPECT_EQ(f.name(f.entry()), "start");
  EXPECT_EQ(f.name(f.inst(f.insts(f.entry())[0]).results[0]), "sum");
}

TEST(Import, NamesTheNameless) {
  Module module = import_text(
      "@0 = private global i32 5\n@1 = private global i32 6\n"
      "define i32 @f() {\n  %a = load i32, ptr @0\n  %b = load i32, ptr @1\n  %r = sub i32 %b, %a\n  ret i32 "
      "%r\n}\n",
      ImportMode::Ssa);
  EXPECT_EQ(run(module, "f", {}).result.bits, 1u);
}

constexpr std::string_view kGlobals = R"(
%pair = type { i8, ptr }
@number = global i32 -2
@real = global double 1.5
@text = private constant [4 x i8] c"abc\00"
@table = global [3 x i16] [i16 1, i16 -1, i16 300]
%mixed = type { i8, [2 x %pair], i24, float }
@nested = global %mixed { i8 7, [2 x %pair] [
  %pair { i8 1, ptr @number }, %pair { i8 2, ptr getelementptr (i8, ptr @table, i64 4) }], i24 66051, float 2.0 }
@number_of = global i64 ptrtoint (ptr getelementptr (i32, ptr @number, i64 1) to i64)
@back = global ptr inttoptr (i64 ptrtoint (ptr @table to i64) to ptr)
@large = global [1000 x i32] zeroinitializer
@hole = global [3 x i8] [i8 1, i8 undef, i8 3]
@difference = global i64 sub (i64 ptrtoint (ptr @number to i64), i64 ptrtoint (ptr @table to i64))
@elsewhere = external global [10 x i32], align 16
@own = thread_local global i32 5
@replaceable = weak constant i32 5
@other = alias i32, ptr @number
@called = alias i32 (i32), ptr @identity
define i32 @identity(i32 %x) {
  ret i32 %x
}
)";

TEST(ImportGlobals, HoldTheirBytes) {
  std::string text(kGlobals);
  auto load = [&](std::string_view type, std::string_view address) {
    return run_both(text + "define " + std::string(type) + " @f() {\n  %r = load " + std::string(type) +
                    ", ptr " + std::string(address) + "\n  ret " + std::string(type) + " %r\n}\n");
  };
  EXPECT_EQ(load("i32", "@number"), 0xfffffffeu);
  EXPECT_EQ(load("double", "@real"), std::bit_cast<uint64_t>(1.5));
  EXPECT_EQ(load("i8", "getelementptr (i8, ptr @text, i64 2)"), uint64_t{'c'});
  EXPECT_EQ(load("i16", "getelementptr ([3 x i16], ptr @table, i64 0, i64 2)"), 300u);
  EXPECT_EQ(load("i8", "@nested"), 7u);
  EXPECT_EQ(load("i8", "getelementptr (i8, ptr @nested, i64 24)"), 2u);
  EXPECT_EQ(load("i24", "getelementptr (i8, ptr @nested, i64 40)"), 66051u);
  EXPECT_EQ(load("float", "getelementptr (i8, ptr @nested, i64 44)"), std::bit_cast<uint32_t>(2.0f));
  EXPECT_EQ(load("i32", "getelementptr (i8, ptr @large, i64 3996)"), 0u);
  EXPECT_EQ(load("i8", "getelementptr (i8, ptr @hole, i64 2)"), 3u);
}

TEST(ImportGlobals, HoldAddresses) {
  std::string text(kGlobals);
  EXPECT_EQ(run_both(text + R"(
define i32 @f() {
  %p = load ptr, ptr getelementptr (i8, ptr @nested, i64 16)
  %a = load i32, ptr %p
  %q = load ptr, ptr getelementptr (i8, ptr @nested, i64 32)
  %b = load i16, ptr %q
  %c = zext i16 %b to i32
  %r = add i32 %a, %c
  ret i32 %r
}
)"),
            298u);
  EXPECT_EQ(run_both(text + R"(
define i1 @f() {
  %n = load i64, ptr @number_of
  %m = sub i64 %n, 4
  %c = icmp eq i64 %m, ptrtoint (ptr @number to i64)
  %p = load ptr, ptr @back
  %d = icmp eq ptr %p, @table
  %r = and i1 %c, %d
  ret i1 %r
}
)"),
            1u);
}

TEST(ImportGlobals, WhatCannotBeSaidIsExternal) {
  Module module = import_text(kGlobals, ImportMode::Ssa);
  auto global = [&](std::string_view name) -> const Global& {
    return module.global(*module.find_symbol(name));
  };
  EXPECT_TRUE(global("difference").external);
  EXPECT_EQ(global("difference").size, 8u);
  EXPECT_TRUE(global("own").external);
  EXPECT_EQ(global("elsewhere").size, 40u);
  EXPECT_EQ(global("elsewhere").align, 16u);
  EXPECT_TRUE(global("other").external);
  EXPECT_TRUE(global("text").constant);
  EXPECT_FALSE(global("replaceable").constant);  // by linking another value may take its place
  EXPECT_EQ(module.find_function("called")->signature.params.size(), 1u);
  EXPECT_LE(global("large").contents.size(), 1u);
}

// --- Control flow -----------------------------------------------------------------------------------------

constexpr std::string_view kSwap = R"(
define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%next, %loop]
  %a = phi i32 [1, %entry], [%b, %loop]
  %b = phi i32 [2, %entry], [%a, %loop]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %r = shl i32 %a, 4
  %s = or i32 %r, %b
  ret i32 %s
}
)";

TEST(ImportControl, PhisReadBeforeTheyWrite) {
  EXPECT_EQ(run_both(kSwap, {1}), 0x12u);
  EXPECT_EQ(run_both(kSwap, {2}), 0x21u);
  EXPECT_EQ(run_both(kSwap, {7}), 0x12u);
}

TEST(ImportControl, FormsDiffer) {
  Module ssa = import_text(kSwap, ImportMode::Ssa);
  EXPECT_EQ(ssa.find_function("f")->form, Form::Ssa);
  EXPECT_EQ(count_ops(*ssa.find_function("f"), Opcode::Phi), 3u);
  Module plain = import_text(kSwap, ImportMode::Plain);
  EXPECT_EQ(plain.find_function("f")->form, Form::Plain);
  EXPECT_EQ(count_ops(*plain.find_function("f"), Opcode::Phi), 0u);
  EXPECT_EQ(count_ops(*plain.find_function("f"), Opcode::Mov), 9u);  // for each phi two entries, one read
}

TEST(ImportControl, SwitchWithManyEdgesToOneBlock) {
  constexpr std::string_view text = R"(
define i32 @f(i32 %x) {
entry:
  switch i32 %x, label %join [
    i32 1, label %join
    i32 -5, label %join
    i32 7, label %seven
  ]
seven:
  br label %join
join:
  %r = phi i32 [10, %entry], [10, %entry], [10, %entry], [20, %seven]
  ret i32 %r
}
)";
  EXPECT_EQ(run_both(text, {1}), 10u);
  EXPECT_EQ(run_both(text, {0xfffffffb}), 10u);
  EXPECT_EQ(run_both(text, {7}), 20u);
  EXPECT_EQ(run_both(text, {8}), 10u);
}

TEST(ImportControl, BlocksInAnyOrder) {
  // The use of %x comes before its definition in the text, and one block cannot be reached.
  constexpr std::string_view text = R"(
define i32 @f(i32 %a) {
entry:
  br label %second
third:
  %y = mul i32 %x, 2
  ret i32 %y
second:
  %x = add i32 %a, 1
  br label %third
never:
  %z = phi i32 [%z, %never]
  br label %never
}
)";
  EXPECT_EQ(run_both(text, {4}), 10u);
}

TEST(ImportControl, WeightsAreCounts) {
  Module module = import_text(R"(
define i32 @f(i32 %x) !prof !0 {
entry:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b, !prof !1
a:
  switch i32 %x, label %b [i32 1, label %d], !prof !2
b:
  ret i32 1
d:
  ret i32 2
}
!0 = !{!"function_entry_count", i64 77}
!1 = !{!"branch_weights", i32 3, i32 2000}
!2 = !{!"branch_weights", i32 5, i32 6}
)",
                              ImportMode::Ssa);
  const Function& f = *module.find_function("f");
  EXPECT_EQ(f.count(f.entry()), 77u);
  auto counts = [&](uint32_t block) {
    std::span<const uint64_t> span = f.edge_counts(f.terminators(f.layout()[block])[0]);
    return std::vector<uint64_t>(span.begin(), span.end());
  };
  EXPECT_EQ(counts(0), (std::vector<uint64_t>{3, 2000}));
  EXPECT_EQ(counts(1), (std::vector<uint64_t>{5, 6}));
}

TEST(ImportControl, LinesComeFromDebugInformation) {
  Module module = import_text(R"(
define i32 @f(i32 %x) !dbg !3 {
  %r = add i32 %x, 1, !dbg !4
  ret i32 %r, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 10, unit: !0, type: !6, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 11, column: 2, scope: !3)
!5 = !DILocation(line: 12, column: 2, scope: !3)
!6 = !DISubroutineType(types: !{})
)",
                              ImportMode::Plain);
  const Function& f = *module.find_function("f");
  EXPECT_EQ(f.line(f.insts(f.entry())[0]), 11u);
  EXPECT_EQ(f.line(f.insts(f.entry())[1]), 12u);
}

// --- Memory -----------------------------------------------------------------------------------------------

constexpr std::string_view kSlots = R"(
define i32 @f(i32 %n) {
entry:
  %i = alloca i32
  %sum = alloca i32
  %unused = alloca i32
  %kept = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %sum)
  store i32 0, ptr %i
  store i32 0, ptr %sum
  store volatile i32 3, ptr %kept
  br label %loop
loop:
  %0 = load i32, ptr %i
  %1 = load i32, ptr %sum
  %2 = load volatile i32, ptr %kept
  %3 = add i32 %1, %2
  store i32 %3, ptr %sum
  %4 = add i32 %0, 1
  store i32 %4, ptr %i
  %5 = icmp slt i32 %4, %n
  br i1 %5, label %loop, label %exit
exit:
  %6 = load i32, ptr %sum
  call void @llvm.lifetime.end.p0(i64 4, ptr %sum)
  ret i32 %6
}
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
)";

TEST(ImportMemory, SlotsBecomeRegistersInPlainForm) {
  EXPECT_EQ(run_both(kSlots, {5}), 15u);
  Module ssa = import_text(kSlots, ImportMode::Ssa);
  EXPECT_EQ(count_ops(*ssa.find_function("f"), Opcode::Slot), 4u);
  EXPECT_EQ(count_ops(*ssa.find_function("f"), Opcode::Load), 4u);
  Module plain = import_text(kSlots, ImportMode::Plain);
  const Function& f = *plain.find_function("f");
  EXPECT_EQ(count_ops(f, Opcode::Slot), 1u);
  EXPECT_EQ(count_ops(f, Opcode::Load), 1u);
  EXPECT_EQ(count_ops(f, Opcode::Store), 1u);
  for (BlockId b : f.layout()) {
    for (InstId id : f.insts(b)) {
      Opcode op = f.inst(id).op;
      if (op != Opcode::Load && op != Opcode::Store) continue;
      EXPECT_TRUE(f.inst(id).has_flag(Inst::kVolatile));
    }
  }
}

TEST(ImportMemory, SlotThatIsNeverWrittenIsUndef) {
  constexpr std::string_view text = R"(
define i32 @f(i1 %c) {
  %s = alloca i32
  %x = load i32, ptr %s
  %r = select i1 %c, i32 5, i32 %x
  ret i32 %r
}
)";
  Module module = import_text(text, ImportMode::Plain);
  EXPECT_EQ(run(module, "f", {1}).result, (Value{5, false}));
  EXPECT_EQ(run(module, "f", {0}).status, Outcome::Status::Undefined);
}

TEST(ImportMemory, AddressArithmetic) {
  constexpr std::string_view text = R"(
%item = type { i32, [4 x i16], i64 }
@items = global [3 x %item] zeroinitializer
define i64 @f(i64 %i, i32 %j) {
  %p = getelementptr inbounds [3 x %item], ptr @items, i64 0, i64 %i, i32 1, i32 %j
  %q = getelementptr i8, ptr %p, i64 -2
  %same = getelementptr i8, ptr %q, i64 0
  %m = ptrtoint ptr %same to i64
  %r = sub i64 %m, ptrtoint (ptr @items to i64)
  ret i64 %r
}
)";
  EXPECT_EQ(run_both(text, {2, 3}), 2 * 24 + 4 + 6 - 2u);
  EXPECT_EQ(run_both(text, {0, 0xffffffff}), static_cast<uint64_t>(4 - 2 - 2));
  Module module = import_text(text, ImportMode::Ssa);
  EXPECT_EQ(count_ops(*module.find_function("f"), Opcode::PtrIndex), 2u);
  EXPECT_EQ(count_ops(*module.find_function("f"), Opcode::PtrAdd), 1u);
}

TEST(ImportMemory, NonNativeIndexIsSigned) {
  EXPECT_EQ(run_both(R"(
@bytes = global [8 x i8] c"01234567"
define i8 @f(i5 %i) {
  %p = getelementptr i8, ptr getelementptr (i8, ptr @bytes, i64 4), i5 %i
  %r = load i8, ptr %p
  ret i8 %r
}
)",
                     {31}),
            uint64_t{'3'});
}

constexpr std::string_view kDynamicSlots = R"(
define i32 @f(i32 %n, i32 %rounds) {
entry:
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %more, %round ]
  %saved = call ptr @llvm.stacksave.p0()
  %a = alloca i32, i32 %n
  %last = sub i32 %n, 1
  %p = getelementptr i32, ptr %a, i32 %last
  store i32 9, ptr %p
  %r = load i32, ptr %p
  call void @llvm.stackrestore.p0(ptr %saved)
  %more = add i32 %sum, %r
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %rounds
  br i1 %again, label %round, label %exit
exit:
  ret i32 %more
}
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
)";

TEST(ImportMemory, DynamicSlots) { EXPECT_EQ(run_both(kDynamicSlots, {3, 1000}), 9000u); }

TEST(ImportMemory, DynamicSlotsAreGivenBack) {
  std::string text(kDynamicSlots);
  // The last iteration reads freed memory.
  text.replace(text.find("exit:\n"), 6, "exit:\n  %gone = load i32, ptr %p\n");
  for (ImportMode mode : {ImportMode::Ssa, ImportMode::Plain}) {
    Outcome outcome = run(import_text(text, mode), "f", {3, 10});
    EXPECT_EQ(outcome.status, Outcome::Status::Undefined);
    EXPECT_NE(outcome.message.find("a slot that has ended"), std::string::npos) << outcome.message;
  }
}

TEST(ImportMemory, StackMarksAreWrittenBack) {
  for (ImportMode mode : {ImportMode::Ssa, ImportMode::Plain}) {
    std::string text = written_back(kDynamicSlots, mode);
    EXPECT_NE(text.find("= call ptr @llvm.stacksave.p0()"), std::string::npos) << text;
    EXPECT_NE(text.find("call void @llvm.stackrestore.p0(ptr "), std::string::npos) << text;
  }
}

TEST(ImportMemory, CopiesAndFills) {
  EXPECT_EQ(run_both(R"(
@from = constant [8 x i8] c"abcdefgh"
define i64 @f(i32 %n) {
  %a = alloca [8 x i8], align 8
  call void @llvm.memset.p0.i64(ptr align 8 %a, i8 48, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i32(ptr align 8 %a, ptr @from, i32 %n, i1 true)
  %b = getelementptr i8, ptr %a, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %b, ptr %a, i64 3, i1 false)
  %r = load i64, ptr %a
  ret i64 %r
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
)",
                     {5}),
            0x3030306563626161u);
}

TEST(ImportMemory, LoadsThatCannotTrapSaySo) {
  Module module = import_text(R"(
@known = global [4 x i32] zeroinitializer, align 16
define i32 @f(ptr %unknown, ptr align 4 dereferenceable(8) %given) nofree nosync {
  %slot = alloca [2 x i32]
  %a = load i32, ptr getelementptr (i8, ptr @known, i64 12)
  %b = load i32, ptr %unknown
  %c = load i32, ptr %given
  %d = load i32, ptr %slot
  %q = getelementptr i8, ptr %given, i64 8
  %e = load i32, ptr %q
  %x = add i32 %a, %b
  %y = add i32 %c, %d
  %z = add i32 %x, %y
  %r = add i32 %z, %e
  ret i32 %r
}
)",
                              ImportMode::Ssa);
  const Function& f = *module.find_function("f");
  std::string seen;
  for (InstId id : f.insts(f.entry())) {
    if (f.inst(id).op == Opcode::Load) seen += f.inst(id).has_flag(Inst::kDeref) ? '1' : '0';
  }
  EXPECT_EQ(seen, "10110");
}

// --- Constants --------------------------------------------------------------------------------------------

TEST(ImportConstants, ExpressionsBecomeInstructions) {
  EXPECT_EQ(run_both(R"(
@g = global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
define i64 @f() {
  %a = load i32, ptr getelementptr ([4 x i32], ptr @g, i64 0, i64 2)
  %b = sext i32 %a to i64
  %c = and i64 ptrtoint (ptr getelementptr (i8, ptr @g, i64 5) to i64), 15
  %r = add i64 %b, %c
  ret i64 %r
}
)"),
            8u);
}

TEST(ImportConstants, ExpressionsInPhis) {
  constexpr std::string_view text = R"(
@g = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %p = phi ptr [getelementptr (i32, ptr @g, i64 3), %entry], [getelementptr (i32, ptr @g, i64 1), %loop]
  %i = phi i32 [0, %entry], [%next, %loop]
  %x = load i32, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %x
}
)";
  EXPECT_EQ(run_both(text, {1}), 4u);
  EXPECT_EQ(run_both(text, {3}), 2u);
}

TEST(ImportConstants, UndefIsDefinedWhereItMustBe) {
  // LLVM lets undef be stored, passed and returned; psic IR does not.
  EXPECT_EQ(run_both(R"(
declare i32 @putchar(i32)
define i32 @f(i1 %c) {
  %s = alloca i32
  store i32 undef, ptr %s
  %x = select i1 %c, i32 4, i32 poison
  %y = call i32 @g(i32 undef)
  ret i32 %x
}
define i32 @g(i32 %x) {
  %r = add i32 %x, 1
  ret i32 undef
}
)",
                     {1}),
            4u);
}

// --- Calls ------------------------------------------------------------------------------------------------

TEST(ImportCalls, DirectIndirectAndVariadic) {
  std::string output;
  EXPECT_EQ(run_both(R"(
@format = private constant [11 x i8] c"%d %s %.1f\00"
@word = private constant [3 x i8] c"hi\00"
declare i32 @printf(ptr, ...)
define internal i32 @twice(i32 %x) {
  %r = mul i32 %x, 2
  ret i32 %r
}
@pointer = global ptr @twice
define i32 @f(i32 %x) {
  %a = call i32 @twice(i32 %x)
  %g = load ptr, ptr @pointer
  %b = call i32 %g(i32 %a)
  %n = call i32 (ptr, ...) @printf(ptr @format, i32 %b, ptr @word, double 0.5)
  call void @nothing()
  ret i32 %b
}
define void @nothing() {
  ret void
}
)",
                     {5}, &output),
            20u);
  EXPECT_EQ(output, "20 hi 0.5");
}

TEST(ImportCalls, OfAnotherTypeGoThroughTheAddress) {
  constexpr std::string_view text = R"(
define i32 @g(i32 %x) {
  ret i32 %x
}
define i32 @f(i32 %x) {
  %r = call i32 (...) @g(i32 %x, i32 4)
  ret i32 %r
}
)";
  Module module = import_text(text, ImportMode::Ssa);
  const Function& f = *module.find_function("f");
  for (InstId id : f.insts(f.entry())) {
    if (f.inst(id).op != Opcode::Call) continue;
    EXPECT_TRUE(f.operands(id)[0].is_reg());
  }
}

TEST(ImportCalls, StructuresInMemoryAreCopied) {
  EXPECT_EQ(run_both(R"(
%big = type { [3 x i64] }
define i64 @f() {
  %s = alloca %big, align 8
  store i64 40, ptr %s
  %r = call i64 @g(ptr byval(%big) align 8 %s, ptr %s)
  %left = load i64, ptr %s
  %sum = add i64 %r, %left
  ret i64 %sum
}
define i64 @g(ptr byval(%big) align 8 %own, ptr %other) {
  store i64 1, ptr %other
  %x = load i64, ptr %own
  store i64 500, ptr %own
  ret i64 %x
}
)"),
            41u);
}

TEST(ImportCalls, VariadicFunctions) {
  EXPECT_EQ(run_both(R"(
define i64 @sum(i32 %n, ...) {
  %list = alloca [24 x i8], align 8
  %copy = alloca [24 x i8], align 8
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %a = va_arg ptr %list, i64
  %b = va_arg ptr %list, i64
  %c = va_arg ptr %copy, i64
  call void @llvm.va_end.p0(ptr %list)
  call void @llvm.va_end.p0(ptr %copy)
  %d = add i64 %a, %b
  %e = add i64 %d, %c
  ret i64 %e
}
define i64 @f() {
  %r = call i64 (i32, ...) @sum(i32 2, i64 30, i64 12)
  ret i64 %r
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
)"),
            72u);
}

// --- Aggregates -------------------------------------------------------------------------------------------

TEST(ImportAggregates, ReturnedThroughMemory) {
  constexpr std::string_view text = R"(
%three = type { i8, i64, i1 }
define %three @make(i8 %a, i64 %b) {
  %c = icmp ugt i64 %b, 10
  %x = insertvalue %three poison, i8 %a, 0
  %y = insertvalue %three %x, i64 %b, 1
  %z = insertvalue %three %y, i1 %c, 2
  ret %three %z
}
define %three @constant() {
  ret %three { i8 3, i64 100, i1 true }
}
define i64 @f(i8 %a, i64 %b) {
entry:
  %s = call %three @make(i8 %a, i64 %b)
  %m = alloca %three
  store %three %s, ptr %m
  %t = load %three, ptr %m
  store %three { i8 9, i64 9, i1 false }, ptr %m
  %u = call %three @constant()
  %0 = extractvalue %three %t, 0
  %1 = extractvalue %three %t, 1
  %2 = extractvalue %three %t, 2
  %3 = extractvalue %three %u, 1
  %4 = zext i8 %0 to i64
  %5 = zext i1 %2 to i64
  %6 = add i64 %4, %1
  %7 = shl i64 %5, 20
  %8 = add i64 %6, %7
  %9 = add i64 %8, %3
  ret i64 %9
}
)";
  EXPECT_EQ(run_both(text, {5, 7}), 112u);
  EXPECT_EQ(run_both(text, {5, 70}), 175u + (1u << 20));
  Module module = import_text(text, ImportMode::Ssa);
  const Signature& signature = module.find_function("make")->signature;
  EXPECT_EQ(signature.result, Type::none);
  EXPECT_EQ(signature.params, (std::vector<Type>{Type::i8, Type::i64, Type::ptr}));
}

TEST(ImportAggregates, NestedAndInLoops) {
  // The value of one iteration is decomposed before the next is made.
  EXPECT_EQ(run_both(R"(
%inner = type [2 x i32]
%outer = type { i16, %inner }
define %outer @make(i32 %x) {
  %y = mul i32 %x, 3
  %a = insertvalue %inner [i32 7, i32 7], i32 %x, 0
  %b = insertvalue %outer { i16 5, %inner zeroinitializer }, %inner %a, 1
  %c = insertvalue %outer %b, i32 %y, 1, 1
  ret %outer %c
}
define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%next, %loop]
  %sum = phi i32 [0, %entry], [%more, %loop]
  %s = call %outer @make(i32 %i)
  %inner = extractvalue %outer %s, 1
  %p = extractvalue %inner %inner, 0
  %q = extractvalue %outer %s, 1, 1
  %r = add i32 %p, %q
  %more = add i32 %sum, %r
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %exit
exit:
  ret i32 %more
}
)",
                     {4}),
            24u);
}

// --- What cannot be imported ------------------------------------------------------------------------------

TEST(ImportUnsupported, SaysWhy) {
  EXPECT_EQ(reason_for("define void @f(<4 x i32> %v) {\n  ret void\n}\n"), "uses a vector");
  EXPECT_EQ(reason_for("define void @f(ptr %p) {\n  %x = load x86_fp80, ptr %p\n  ret void\n}\n"),
            "uses x86_fp80");
  EXPECT_EQ(reason_for("define fp128 @f(ptr %p) {\n  %x = load fp128, ptr %p\n  ret fp128 %x\n}\n"),
            "uses fp128");
  EXPECT_EQ(reason_for("declare i32 @g(i32)\ndefine i32 @f(i32 %x) {\n  %r = musttail call i32 @g(i32 %x)\n  "
                       "ret i32 %r\n}\n"),
            "has a call that must be a tail call");
  EXPECT_EQ(reason_for("define half @f(half %x) {\n  ret half %x\n}\n"), "uses half");
  EXPECT_EQ(reason_for("define i64 @f(i64 %x) {\n  %w = zext i64 %x to i128\n  %m = mul i128 %w, %w\n  "
                       "%t = trunc i128 %m to i64\n  ret i64 %t\n}\n"),
            "uses an integer wider than 64 bits");
  EXPECT_EQ(reason_for("define void @f(i128 %x) {\n  ret void\n}\n"), "uses an integer wider than 64 bits");
  EXPECT_EQ(
      reason_for("define i1 @f(ptr %p) {\n  %x = load i129, ptr %p\n  %c = icmp eq i129 %x, 0\n  ret i1 "
                 "%c\n}\n"),
      "uses an integer wider than 64 bits");
  EXPECT_EQ(reason_for("define void @f(ptr addrspace(1) %p) {\n  ret void\n}\n"),
            "uses an address space other than 0");
  EXPECT_EQ(reason_for("define void @f({ i32, i32 } %p) {\n  ret void\n}\n"),
            "takes a struct as a parameter");
  EXPECT_EQ(reason_for("declare void @g({ i32 })\ndefine void @f() {\n  call void @g({ i32 } "
                       "zeroinitializer)\n  ret void\n}\n"),
            "passes a struct as an argument");
  EXPECT_EQ(reason_for("declare void @g(...)\ndefine void @f(ptr %p) {\n  call void (...) @g(ptr byval([3 x "
                       "i64]) %p)\n  ret void\n}\n"),
            "passes a struct in memory to a variadic function");
  EXPECT_EQ(reason_for("define i32 @f(ptr %p) {\n  indirectbr ptr %p, [label %a]\na:\n  ret i32 0\n}\n"),
            "ends in indirectbr");
  EXPECT_EQ(reason_for("define ptr @f() {\n  br label %a\na:\n  ret ptr blockaddress(@f, %a)\n}\n"),
            "takes the address of a block");
  EXPECT_EQ(reason_for("declare i32 @p(...)\ndeclare void @g()\ndefine void @f() personality ptr @p {\n"
                       "  invoke void @g() to label %a unwind label %b\na:\n  ret void\nb:\n  %l = "
                       "landingpad { ptr, i32 } cleanup\n"
                       "  resume { ptr, i32 } %l\n}\n"),
            "ends in invoke");
  EXPECT_EQ(reason_for("declare { i32, i32 } @g()\ndefine void @f(i1 %c) {\n  %a = call { i32, i32 } @g()\n  "
                       "br i1 %c, label %x, label %y\nx:\n"
                       "  br label %y\ny:\n  %p = phi { i32, i32 } [%a, %0], [%a, %x]\n  ret void\n}\n"),
            "merges structs with a phi");
}

TEST(ImportUnsupported, OtherTargets) {
  auto reason = [](const std::string& layout) {
    Result<LlvmModule> module = LlvmModule::read(
        "target datalayout = \"" + layout + "\"\ndefine void @f() {\n  ret void\n}\n", "a.ll");
    EXPECT_TRUE(module) << module.message();
    std::vector<LlvmRemark> remarks;
    EXPECT_EQ(module->import(ImportMode::Ssa, remarks).pointer_bits(), 64u);
    return remarks.size() == 1 ? remarks[0].reason : "";
  };
  EXPECT_EQ(reason("e-p:16:16"), "is for a target with pointers of 16 bits");
  EXPECT_EQ(reason("e-p:160:256:256:32"), "is for a target with pointers of 160 bits");
  EXPECT_EQ(reason("e-p:64:64:64:32"), "is for a target with pointers of 64 bits and indices of 32");
  EXPECT_EQ(reason("E-p:32:32"), "is for a big-endian target");
}

// Offsets, sizes and addresses in initialisers have the width of pointers; indices and lengths of other
// widths are converted.
TEST(ImportPointers, Of32Bits) {
  Result<LlvmModule> source = LlvmModule::read(R"(
target datalayout = "e-p:32:32-i64:64"
%pair = type { ptr, i64 }
@g = global [2 x %pair] [%pair { ptr @g, i64 1 }, %pair { ptr getelementptr (i8, ptr @g, i32 16), i64 40 }]
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i64 @f(i64 %i, i8 %n) {
  %s = alloca %pair, i8 %n
  %p = getelementptr %pair, ptr @g, i64 %i
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %s, ptr align 4 %p, i64 16, i1 false)
  %q = load ptr, ptr %s
  %v = getelementptr %pair, ptr %q, i32 0, i32 1
  %x = load i64, ptr %v
  %end = getelementptr i8, ptr %q, i32 -4
  %a = ptrtoint ptr %q to i32
  %b = ptrtoint ptr %end to i64
  %c = zext i32 %a to i64
  %d = sub i64 %c, %b
  %r = add i64 %x, %d
  ret i64 %r
}
)",
                                               "a.ll");
  ASSERT_TRUE(source) << source.message();
  for (ImportMode mode : {ImportMode::Ssa, ImportMode::Plain}) {
    std::vector<LlvmRemark> remarks;
    Module module = source->import(mode, remarks);
    EXPECT_TRUE(remarks.empty());
    EXPECT_EQ(module.pointer_bits(), 32u);
    Result<void> verified = verifies(module);
    ASSERT_TRUE(verified) << verified.message();
    EXPECT_EQ(interpret(module, "f", {1, 1}).number(), 44);
    // Written back and imported again it is the same.
    source->write_back(module, remarks, WriteBack::All);
    EXPECT_TRUE(remarks.empty());
  }
  std::vector<LlvmRemark> remarks;
  EXPECT_EQ(interpret(source->import(ImportMode::Ssa, remarks), "f", {1, 1}).number(), 44);
}

TEST(ImportUnsupported, DeepExpressionsAndLongChains) {
  // Nothing is walked by recursion.
  std::string text = "@g = global i32 0\ndefine i64 @f(i64 %x) {\n";
  constexpr int kLength = 50'000;
  for (int i = 0; i < kLength; ++i) {
    text += "  %v" + std::to_string(i) + " = add i64 " + (i ? "%v" + std::to_string(i - 1) : "%x") + ", 1\n";
  }
  text += "  ret i64 %v" + std::to_string(kLength - 1) + "\n}\n";
  EXPECT_EQ(run_both(text, {5}), 5u + kLength);
}

}  // namespace
}  // namespace psi
