// psic as a pass of a compiler: what a function keeps of what LLVM knew, and what happens if something goes
// wrong.

#include "llvm/passes/llvm_pass.h"

#include <gmock/gmock.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <stdexcept>
#include <thread>

#include "importing.h"

namespace psi::llvm_bridge {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kConvert =
    "if-convert(target=x86-64,mode=all),join-exclusive,psi-promote,psi-lower(shape=decisions),redirect";

struct Outcome {
  bool is_changed = false;
  std::string text;
  std::vector<std::string> failures;
  std::vector<std::string> remarks;
};

class LlvmPassTest : public testing::Test {
 protected:
  std::unique_ptr<llvm::Module> parse(std::string_view text) {
    llvm::SMDiagnostic diagnostic;
    std::string all = std::string(kTarget) + std::string(text);
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(all, "test.ll");
    auto module = llvm::parseIR(*buffer, diagnostic, context_);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    return module;
  }

  static std::string print(const llvm::Module& module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
  }

  PassList passes(std::string_view list) {
    Result<PassList> parsed = parse_passes(PassTable::builtin(), list);
    EXPECT_TRUE(parsed) << parsed.diagnostics().first_error();
    return parsed ? *parsed : PassList();
  }

  Outcome run(std::string_view text, LlvmPassOptions options) {
    auto module = parse(text);
    Outcome outcome;
    options.report = [&](const LlvmPassMessage& message) {
      bool is_failure = message.kind == LlvmPassMessage::Kind::Failed;
      (is_failure ? outcome.failures : outcome.remarks).push_back(message.text);
    };
    outcome.is_changed = run_llvm_pass(*module, options);
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    outcome.text = print(*module);
    return outcome;
  }

  Outcome convert(std::string_view text, bool unpredictable = false) {
    LlvmPassOptions options;
    std::string list(kConvert);
    if (unpredictable) list.replace(list.find("mode="), 0, "unmeasured=unpredictable,");
    options.passes = passes(list);
    options.unpredictable = unpredictable;
    Outcome outcome = run(text, options);
    EXPECT_THAT(outcome.failures, testing::IsEmpty());
    return outcome;
  }

  // A pass of the test's own.
  LlvmPassOptions with_pass(std::function<void(PassContext&)> work) {
    own_.name = "own";
    own_.needs = {Form::Ssa};
    own_.run = std::move(work);
    LlvmPassOptions options;
    PassCall call;
    call.pass = &own_;
    call.text = own_.name;
    options.passes = {call};
    return options;
  }

  llvm::LLVMContext context_;
  Pass own_;
};

// A diamond with flags in it, on both sides and after.
constexpr std::string_view kDiamond = R"(
define i32 @f(i1 %c, i32 %a, i32 %b) {
entry:
  %before = add nsw i32 %a, 1
  br i1 %c, label %then, label %else
then:
  %yes = mul nsw i32 %before, %b
  br label %join
else:
  %no = sub nuw i32 %b, 7
  br label %join
join:
  %r = phi i32 [ %yes, %then ], [ %no, %else ]
  %after = shl nuw nsw i32 %r, 2
  ret i32 %after
}
)";

// --- What is kept
// -------------------------------------------------------------------------------------------

TEST_F(LlvmPassTest, FlagsStayWhereTheInstructionIsExecutedAsBefore) {
  Outcome outcome = convert(kDiamond);
  EXPECT_TRUE(outcome.is_changed);
  EXPECT_THAT(outcome.text, Not(HasSubstr("br ")));
  EXPECT_THAT(outcome.text, HasSubstr("add nsw i32 %a, 1"));
  EXPECT_THAT(outcome.text, HasSubstr("shl nuw nsw i32"));
  EXPECT_THAT(outcome.text, HasSubstr("= mul i32"));
  EXPECT_THAT(outcome.text, HasSubstr("= sub i32"));
}

TEST_F(LlvmPassTest, OtherPassesLoseThem) {
  LlvmPassOptions options;
  options.passes = passes("O1," + std::string(kConvert));
  Outcome outcome = run(kDiamond, options);
  EXPECT_TRUE(outcome.is_changed);
  EXPECT_THAT(outcome.text, AllOf(Not(HasSubstr("nsw")), Not(HasSubstr("nuw"))));
}

TEST_F(LlvmPassTest, MarksItsOwnSelects) {
  EXPECT_THAT(convert(kDiamond).text, HasSubstr("select i1 %c, i32 %yes, i32 %no, !unpredictable"));
}

TEST_F(LlvmPassTest, LeavesTheSelectsOfOthers) {
  constexpr std::string_view kText = R"(
define i32 @f(i1 %c, i1 %d, i32 %a, i32 %b) {
entry:
  %s = select i1 %d, i32 %a, i32 %b
  br i1 %c, label %then, label %join
then:
  %yes = mul i32 %s, %b
  br label %join
join:
  %r = phi i32 [ %yes, %then ], [ %a, %entry ]
  ret i32 %r
}
)";
  EXPECT_THAT(convert(kText).text, HasSubstr("select i1 %d, i32 %a, i32 %b\n"));
  EXPECT_THAT(convert(kText, /*unpredictable=*/true).text,
              HasSubstr("select i1 %d, i32 %a, i32 %b, !unpredictable"));
}

TEST_F(LlvmPassTest, AProfileTellsWhichSelectsAreHardToPredict) {
  Outcome outcome = convert(R"(
define i32 @f(i1 %c, i1 %d, i32 %a, i32 %b) {
entry:
  %even = select i1 %c, i32 %a, i32 %b, !prof !0
  %rare = select i1 %d, i32 %a, i32 %even, !prof !1
  br i1 %c, label %then, label %join
then:
  call void @g()
  br label %join
join:
  ret i32 %rare
}
declare void @g()
!0 = !{!"branch_weights", i32 40, i32 60}
!1 = !{!"branch_weights", i32 1, i32 1000}
)");
  EXPECT_TRUE(outcome.is_changed);
  EXPECT_THAT(outcome.text, HasSubstr("%b, !prof !0, !unpredictable"));
  EXPECT_THAT(outcome.text, HasSubstr("%even, !prof !2\n"));
}

TEST_F(LlvmPassTest, WithMeasuredPredictabilityTheOthersAreMarkedAlready) {
  Outcome outcome = convert(R"(
define i32 @f(i1 %c, i1 %d, i32 %a, i32 %b) "psi-predictability" {
entry:
  %predicted = select i1 %c, i32 %a, i32 %b, !prof !0
  br i1 %d, label %then, label %join, !prof !0, !psi.mispredicted !1
then:
  call void @g()
  br label %join
join:
  ret i32 %predicted
}
declare void @g()
!0 = !{!"branch_weights", i32 40, i32 60}
!1 = !{i32 1, i32 4000}
)");
  EXPECT_FALSE(outcome.is_changed);
  EXPECT_THAT(outcome.text, Not(HasSubstr("!unpredictable")));
}

TEST_F(LlvmPassTest, MemoryAddressesAndCallsComeBackAsTheyWere) {
  Outcome outcome = convert(R"(
%pair = type { i32, [8 x i16] }
define i32 @f(i1 %c, ptr %p, i64 %i, ptr %call, i32 %a) {
entry:
  %at = getelementptr inbounds %pair, ptr %p, i64 3, i32 1, i64 %i
  %v = load i16, ptr %at, align 2, !tbaa !0
  %wide = zext nneg i16 %v to i32
  %zeros = call i32 @llvm.ctlz.i32(i32 %wide, i1 true)
  %one = tail call i32 %call(i32 signext %zeros)
  %two = notail call fastcc i32 %call(i32 %a) nounwind
  br i1 %c, label %then, label %join
then:
  %yes = mul i32 %one, %two
  br label %join
join:
  %r = phi i32 [ %yes, %then ], [ %one, %entry ]
  ret i32 %r
}
declare i32 @llvm.ctlz.i32(i32, i1)
!0 = !{!1, !1, i64 0}
!1 = !{!"short", !2}
!2 = !{!"root"}
)");
  EXPECT_THAT(outcome.text, Not(HasSubstr("br ")));
  EXPECT_THAT(outcome.text, HasSubstr("getelementptr inbounds %pair, ptr %p, i64 3, i32 1, i64 %i"));
  EXPECT_THAT(outcome.text, HasSubstr("load i16, ptr %at, align 2, !tbaa !0"));
  EXPECT_THAT(outcome.text, HasSubstr("zext nneg i16 %v to i32"));
  EXPECT_THAT(outcome.text, HasSubstr("@llvm.ctlz.i32(i32 %wide, i1 true)"));
  EXPECT_THAT(outcome.text, HasSubstr("tail call i32 %call(i32 signext %zeros)"));
  EXPECT_THAT(outcome.text, HasSubstr("notail call fastcc i32 %call(i32 %a) #"));
}

TEST_F(LlvmPassTest, ASpeculatedCountMayNotBePoison) {
  Outcome outcome = convert(R"(
define i32 @f(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %join
then:
  %zeros = call i32 @llvm.ctlz.i32(i32 %a, i1 true)
  br label %join
join:
  %r = phi i32 [ %zeros, %then ], [ 32, %entry ]
  ret i32 %r
}
declare i32 @llvm.ctlz.i32(i32, i1)
)");
  EXPECT_THAT(outcome.text, HasSubstr("@llvm.ctlz.i32(i32 %a, i1 false)"));
}

TEST_F(LlvmPassTest, DebugLocationsStay) {
  Outcome outcome = convert(R"(
define i32 @f(i1 %c, i32 %a) !dbg !4 {
entry:
  br i1 %c, label %then, label %join, !dbg !7
then:
  %yes = mul i32 %a, %a, !dbg !8
  br label %join, !dbg !9
join:
  %r = phi i32 [ %yes, %then ], [ %a, %entry ]
  ret i32 %r, !dbg !10
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "inner", file: !1, line: 11, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DILocation(line: 3, column: 4, scope: !4)
!7 = !DILocation(line: 2, column: 7, scope: !4)
!8 = !DILocation(line: 12, column: 9, scope: !5, inlinedAt: !6)
!9 = !DILocation(line: 3, column: 1, scope: !4)
!10 = !DILocation(line: 5, column: 3, scope: !4)
)");
  EXPECT_TRUE(outcome.is_changed);
  EXPECT_THAT(outcome.text, HasSubstr("define i32 @f(i1 %c, i32 %a) !dbg !"));
  EXPECT_THAT(outcome.text, HasSubstr("!DILocation(line: 12, column: 9, scope: "));
  EXPECT_THAT(outcome.text, HasSubstr("!DILocation(line: 5, column: 3, scope: "));
}

TEST_F(LlvmPassTest, VariablesStayKnown) {
  Outcome outcome = convert(R"(
define i32 @f(i1 %c, i32 %a) !dbg !4 {
entry:
    #dbg_value(i32 %a, !5, !DIExpression(), !7)
  %b = add i32 %a, 1, !dbg !7
    #dbg_value(i32 %b, !5, !DIExpression(), !7)
  br i1 %c, label %then, label %join, !dbg !7
then:
  %yes = mul i32 %b, %a, !dbg !8
    #dbg_value(i32 %yes, !5, !DIExpression(), !7)
  br label %join, !dbg !8
join:
  %r = phi i32 [ %yes, %then ], [ %a, %entry ]
    #dbg_value(i32 %r, !5, !DIExpression(), !7)
  %s = sub i32 %r, %b, !dbg !8
  ret i32 %s, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 2, type: !6)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DILocation(line: 2, column: 7, scope: !4)
!8 = !DILocation(line: 3, column: 1, scope: !4)
)");
  EXPECT_TRUE(outcome.is_changed);
  EXPECT_THAT(outcome.text, HasSubstr("#dbg_value(i32 %a, "));
  // It does not hold on both ways.
  EXPECT_THAT(outcome.text, Not(HasSubstr("#dbg_value(i32 %yes, ")));
  EXPECT_THAT(outcome.text, HasSubstr("#dbg_value(i32 %r, "));
}

TEST_F(LlvmPassTest, LoopMetadataAndWeightsStay) {
  Outcome outcome = convert(R"(
define i32 @f(i32 %n, i32 %k) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %s = phi i32 [ 0, %entry ], [ %t, %join ]
  %c = icmp sgt i32 %i, %k
  br i1 %c, label %then, label %join
then:
  %u = mul i32 %s, %i
  br label %join
join:
  %t = phi i32 [ %u, %then ], [ %s, %loop ]
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %out, label %loop, !prof !0, !llvm.loop !1
out:
  ret i32 %t
}
!0 = !{!"branch_weights", i32 1, i32 99}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.mustprogress"}
)");
  EXPECT_THAT(outcome.text, HasSubstr("add nuw nsw i32 %i, 1"));
  EXPECT_THAT(outcome.text, HasSubstr("label %out, label %loop, !prof !"));
  EXPECT_THAT(outcome.text, HasSubstr("!llvm.loop !"));
}

// The code generator would make a branch of the first select because of its weights; the other one chooses a
// value, and may be one.
TEST_F(LlvmPassTest, ConditionsThatASelectJoinsHaveNoWeights) {
  Outcome outcome = convert(R"(
define i32 @f(i1 %a, i1 %b, i32 %x) {
entry:
  %both = select i1 %a, i1 %b, i1 false, !prof !0
  %y = select i1 %a, i32 %x, i32 7, !prof !0
  br i1 %both, label %then, label %join
then:
  call void @g()
  br label %join
join:
  ret i32 %y
}
declare void @g()
!0 = !{!"branch_weights", i32 2000, i32 1}
)");
  EXPECT_THAT(outcome.text, HasSubstr("%both = select i1 %a, i1 %b, i1 false\n"));
  EXPECT_THAT(outcome.text, HasSubstr("%y = select i1 %a, i32 %x, i32 7, !prof !"));
}

// --- What is left alone
// ---------------------------------------------------------------------------------------

TEST_F(LlvmPassTest, AFunctionWithoutAChangeIsNotTouched) {
  constexpr std::string_view kText = R"(
define void @f(i1 %c) {
entry:
  br i1 %c, label %then, label %join
then:
  tail call void @g()
  br label %join
join:
  ret void
}
declare void @g()
)";
  Outcome outcome = convert(kText);
  EXPECT_FALSE(outcome.is_changed);
  EXPECT_EQ(outcome.text, print(*parse(kText)));
  // Not even if its branches count as unpredictable on the way.
  outcome = convert(kText, /*unpredictable=*/true);
  EXPECT_FALSE(outcome.is_changed);
  EXPECT_EQ(outcome.text, print(*parse(kText)));
}

TEST_F(LlvmPassTest, FunctionsThatAskForItAreLeftAlone) {
  for (std::string_view attribute : {"optnone noinline", "sanitize_address", "sanitize_thread"}) {
    std::string text(kDiamond);
    text.replace(text.find(") {"), 3, ") " + std::string(attribute) + " {");
    EXPECT_FALSE(convert(text).is_changed) << attribute;
  }
}

TEST_F(LlvmPassTest, SaysWhatItCannotImport) {
  LlvmPassOptions options;
  options.passes = passes(kConvert);
  options.remarks = true;
  Outcome outcome = run(R"(
define <2 x i32> @f(i1 %c, <2 x i32> %a) {
entry:
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %r = phi <2 x i32> [ %a, %entry ], [ zeroinitializer, %then ]
  ret <2 x i32> %r
}
)",
                        options);
  EXPECT_FALSE(outcome.is_changed);
  EXPECT_THAT(outcome.remarks, ElementsAre("left as it is: uses a vector"));
}

TEST_F(LlvmPassTest, AddressesOfBlocksStayValid) {
  LlvmPassOptions options;
  options.passes = passes(kConvert);
  std::string text(kDiamond);
  text += "@table = global ptr blockaddress(@f, %then)\n";
  Outcome outcome = run(text, options);
  EXPECT_FALSE(outcome.is_changed);
  EXPECT_THAT(outcome.text, HasSubstr("blockaddress(@f, %then)"));
}

TEST_F(LlvmPassTest, ABranchMarkedUnpredictableHasEqualProbabilities) {
  uint64_t counts[2] = {};
  LlvmPassOptions options = with_pass([&](PassContext& context) {
    const Function& function = context.function;
    std::span<const uint64_t> known = function.edge_counts(function.terminators(function.entry()).back());
    ASSERT_EQ(known.size(), 2u);
    std::ranges::copy(known, counts);
  });
  std::string text(kDiamond);
  constexpr std::string_view kBranch = "br i1 %c, label %then, label %else";
  text.replace(text.find(kBranch), kBranch.size(), std::string(kBranch) + ", !unpredictable !0");
  run(text + "!0 = !{}\n", options);
  EXPECT_EQ(counts[0], 1u);
  EXPECT_EQ(counts[1], 1u);
}

// --- Accesses and divisions under conditions
// -------------------------------------------------------------------------------------------

// What was known of each division does not hold for the one that took their place.
TEST_F(LlvmPassTest, JoinedDivisionsHaveNoOrigin) {
  Outcome outcome = convert(R"(
define i32 @f(i1 %c, i32 %a, i32 %b, i32 %by) {
entry:
  br i1 %c, label %then, label %else
then:
  %yes = sdiv exact i32 %a, %by
  br label %join
else:
  %no = sdiv exact i32 %b, %by
  br label %join
join:
  %r = phi i32 [ %yes, %then ], [ %no, %else ]
  ret i32 %r
}
)");
  EXPECT_THAT(outcome.text, AllOf(Not(HasSubstr("br ")), HasSubstr("= sdiv i32"), Not(HasSubstr("exact"))));
}

TEST_F(LlvmPassTest, ConditionalAccessesGoElsewhere) {
  Outcome outcome = convert(R"(
define void @f(i1 %c, ptr %from, ptr %to) {
entry:
  br i1 %c, label %then, label %join
then:
  %x = load i32, ptr %from, align 4, !noundef !0
  store i32 %x, ptr %to, align 4
  br label %join
join:
  ret void
}
!0 = !{}
)");
  EXPECT_THAT(outcome.text, AllOf(Not(HasSubstr("br ")), HasSubstr("alloca"), HasSubstr("store i32"),
                                  HasSubstr("select i1 %c, ptr %to"), Not(HasSubstr("noundef"))));
}

TEST_F(LlvmPassTest, MinimaAreSelectsWhereNothingIsPredicted) {
  constexpr std::string_view kText = R"(
declare i32 @llvm.smin.i32(i32, i32)
define i32 @f(i1 %c, i32 %a, i32 %b) {
entry:
  %m = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %r = phi i32 [ %m, %then ], [ %a, %entry ]
  ret i32 %r
}
)";
  EXPECT_THAT(convert(kText).text, HasSubstr("call i32 @llvm.smin"));
  EXPECT_THAT(convert(kText, /*unpredictable=*/true).text,
              AllOf(Not(HasSubstr("call i32 @llvm.smin")), HasSubstr("i32 %a, i32 %b, !unpredictable")));
}

// --- What goes wrong
// ----------------------------------------------------------------------------------------

TEST_F(LlvmPassTest, AnExceptionLeavesTheFunction) {
  Outcome outcome = run(kDiamond, with_pass([](PassContext&) { throw std::runtime_error("too bad"); }));
  EXPECT_FALSE(outcome.is_changed);
  EXPECT_EQ(outcome.text, print(*parse(kDiamond)));
  EXPECT_THAT(outcome.failures, ElementsAre("an exception: too bad while it goes through passes"));
}

TEST_F(LlvmPassTest, WhatDoesNotVerifyLeavesTheFunction) {
  Outcome outcome = run(kDiamond, with_pass([](PassContext& context) {
                          // The value is read before it is there.
                          Function& function = context.function;
                          std::span<const InstId> old = function.insts(function.entry());
                          std::vector<InstId> insts(old.begin(), old.end());
                          std::vector<InstId> join(function.insts(function.layout()[3]).begin(),
                                                   function.insts(function.layout()[3]).end());
                          insts.insert(insts.begin(), join[1]);
                          join.erase(join.begin() + 1);
                          function.set_insts(function.entry(), insts);
                          function.set_insts(function.layout()[3], join);
                        }));
  EXPECT_FALSE(outcome.is_changed);
  EXPECT_EQ(outcome.text, print(*parse(kDiamond)));
  ASSERT_EQ(outcome.failures.size(), 1u);
  EXPECT_THAT(outcome.failures[0], HasSubstr("its result does not verify: "));
}

// A crash loses memory, which the sanitizers would report.
#if defined(__SANITIZE_ADDRESS__)
#define PSI_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PSI_SANITIZED 1
#endif
#endif
#ifndef PSI_SANITIZED

// `f` crashes in each step; `g`, which follows, is converted all the same.
class CrashTest : public LlvmPassTest {
 protected:
  void check(bool by_overflow, std::string_view message) {
    std::string two(kDiamond);
    std::string second(kDiamond);
    second.replace(second.find("@f"), 2, "@g");
    two += second;
    for (std::string_view step : {"import", "passes", "export"}) {
      LlvmPassOptions options;
      options.passes = passes(kConvert);
      options.crash_in = "f";
      options.crash_while = step;
      options.crash_by_overflow = by_overflow;
      Outcome outcome = run(two, options);
      EXPECT_TRUE(outcome.is_changed);
      ASSERT_EQ(outcome.failures.size(), 1u) << step;
      EXPECT_THAT(outcome.failures[0], HasSubstr(message));
      std::string first = outcome.text.substr(0, outcome.text.find("@g"));
      EXPECT_THAT(first, HasSubstr("br i1 %c")) << step;
      EXPECT_THAT(outcome.text.substr(first.size()), Not(HasSubstr("br i1"))) << step;
    }
  }
};

TEST_F(CrashTest, LeavesTheFunctionAndNoOther) { check(false, "a crash (signal 6) while it "); }

// On a thread, whose stack is limited whatever that of the process is.
TEST_F(CrashTest, OfAStackThatOverflows) {
  std::thread([&] { check(true, "a crash (signal 11) while it "); }).join();
}

#endif

TEST(NativeTarget, FollowsTheTriple) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  for (auto [triple, target] : {std::pair{"x86_64-pc-linux-gnu", "x86-64"},
                                {"aarch64-linux-gnu", "aarch64"},
                                {"riscv64-linux-gnu", "select"}}) {
    module.setTargetTriple(triple);
    EXPECT_EQ(target_name_for(module), target);
  }
}

}  // namespace
}  // namespace psi::llvm_bridge
