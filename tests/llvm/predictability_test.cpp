// Misprediction rates: measuring them, and marking branches with them.

#include "llvm/profile/predictability.h"

#include <gmock/gmock.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/ProfileData/InstrProfWriter.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

#include "importing.h"
#include "llvm/profile/branch_predictor.h"

namespace psi::llvm_bridge {
namespace {

// Selects, one of which joins conditions, a branch, a switch.
constexpr std::string_view kDecisions = R"(
define i32 @f(i1 %c, i1 %d, i32 %a) {
entry:
  %logic = select i1 %c, i1 %d, i1 false, !prof !0
  %s = select i1 %logic, i32 %a, i32 7, !prof !1
  br i1 %c, label %then, label %join, !prof !0
then:
  switch i32 %a, label %join [ i32 3, label %three i32 5, label %join ], !prof !2
three:
  br label %join
join:
  %r = phi i32 [ %s, %entry ], [ 1, %then ], [ 1, %then ], [ 2, %three ]
  ret i32 %r
}
define i32 @g(i1 %c) optnone noinline {
  %s = select i1 %c, i32 1, i32 7
  ret i32 %s
}
!0 = !{!"branch_weights", i32 500, i32 500}
!1 = !{!"branch_weights", i32 300, i32 700}
!2 = !{!"branch_weights", i32 100, i32 300, i32 100}
)";

class PredictabilityTest : public testing::Test {
 protected:
  std::unique_ptr<llvm::Module> parse(std::string_view text) {
    llvm::SMDiagnostic diagnostic;
    std::string all = std::string(kTarget) + std::string(text);
    auto module = llvm::parseIR(*llvm::MemoryBuffer::getMemBufferCopy(all, "test.ll"), diagnostic, context_);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    return module;
  }

  // A profile with these counts for @f.
  std::unique_ptr<llvm::IndexedInstrProfReader> profile(uint64_t shape, std::vector<uint64_t> counts) {
    llvm::InstrProfWriter writer;
    EXPECT_FALSE(writer.mergeProfileKind(llvm::InstrProfKind::IRInstrumentation));
    writer.addRecord({"psi.predict.f", shape, std::move(counts)},
                     [](llvm::Error error) { ADD_FAILURE() << llvm::toString(std::move(error)); });
    auto reader = llvm::IndexedInstrProfReader::create(writer.writeBuffer());
    EXPECT_TRUE(static_cast<bool>(reader));
    return std::move(*reader);
  }

  // How often the counters of each name are incremented in the text, and the name's hash.
  struct Record {
    int increments = 0;
    uint64_t shape = 0;
    uint64_t counters = 0;
  };
  std::map<std::string, Record> measured(llvm::Module& module) {
    std::map<std::string, Record> records;
    EXPECT_TRUE(measure_predictability(module));
    EXPECT_FALSE(llvm::verifyModule(module, &llvm::errs()));
    for (llvm::Function& function : module) {
      for (llvm::Instruction& inst : llvm::instructions(function)) {
        auto* increment = llvm::dyn_cast<llvm::InstrProfIncrementInst>(&inst);
        if (!increment) continue;
        Record& record = records[llvm::getPGOFuncNameVarInitializer(increment->getName()).str()];
        ++record.increments;
        record.shape = increment->getHash()->getZExtValue();
        record.counters = increment->getNumCounters()->getZExtValue();
      }
    }
    return records;
  }

  llvm::LLVMContext context_;
};

TEST_F(PredictabilityTest, EachDecisionIsMeasured) {
  auto module = parse(kDecisions);
  std::map<std::string, Record> records = measured(*module);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records["psi.predict.f"].counters, 8u);
  EXPECT_EQ(records["psi.predict.f"].increments, 8);
  // Each case of the switch is a branch of its own.
  EXPECT_EQ(module->getFunction("__psi_predict")->getNumUses(), 5u);
}

// LLVM would look for the counters of a call's targets in the wrong record, and crash.
TEST_F(PredictabilityTest, ProfilesOfValuesKeepTheirRecord) {
  auto module = parse(R"(
@__profn_f = private constant [1 x i8] c"f"
define void @f(i1 %c, ptr %g) {
entry:
  %target = ptrtoint ptr %g to i64
  call void @llvm.instrprof.value.profile(ptr @__profn_f, i64 99, i64 %target, i32 0, i32 0)
  call void %g()
  br i1 %c, label %then, label %join
then:
  call void @llvm.instrprof.increment(ptr @__profn_f, i64 99, i32 2, i32 1)
  br label %join
join:
  ret void
}
declare void @llvm.instrprof.value.profile(ptr, i64, i64, i32, i32)
declare void @llvm.instrprof.increment(ptr, i64, i32, i32)
)");
  std::map<std::string, Record> records = measured(*module);
  EXPECT_EQ(records["psi.predict.f"].increments, 2);
  const auto* first =
      llvm::dyn_cast<llvm::InstrProfIncrementInst>(&module->getFunction("f")->front().front());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->getHash()->getZExtValue(), 99u);
}

TEST_F(PredictabilityTest, MarksSayHowOftenTheyAreMispredicted) {
  uint64_t shape = measured(*parse(kDecisions))["psi.predict.f"].shape;
  auto module = parse(kDecisions);
  // The selects, the branch, the switch: executed, mispredicted.
  auto reader = profile(shape, {1000, 400, 1000, 500, 1000, 20, 500, 100});
  EXPECT_TRUE(mark_predictability(*module, *reader));
  llvm::Function& function = *module->getFunction("f");
  EXPECT_TRUE(has_predictability(function));
  EXPECT_FALSE(has_predictability(*module->getFunction("g")));
  std::vector<std::pair<double, bool>> marks;
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    if (auto rate = misprediction_rate(inst)) {
      marks.emplace_back(*rate, inst.hasMetadata(llvm::LLVMContext::MD_unpredictable));
    }
  }
  auto near = [](double rate, bool is_hard) {
    return testing::Pair(testing::DoubleNear(rate, 1e-9), is_hard);
  };
  // No predictor is worse than to say always what happens more often.
  EXPECT_THAT(marks,
              testing::ElementsAre(near(0.4, true), near(0.3, true), near(0.02, false), near(0.2, true)));
}

TEST_F(PredictabilityTest, ProfilesOfOtherCodeMarkNothing) {
  uint64_t shape = measured(*parse(kDecisions))["psi.predict.f"].shape;
  for (auto& reader :
       {profile(shape + 1, {1000, 400, 1000, 500, 1000, 20, 500, 100}), profile(shape, {1000, 500})}) {
    auto module = parse(kDecisions);
    EXPECT_FALSE(mark_predictability(*module, *reader));
    EXPECT_FALSE(has_predictability(*module->getFunction("f")));
  }
}

TEST_F(PredictabilityTest, WhatWasMergedIntoABranchIsMispredictedToo) {
  auto module = parse(R"(
define void @f(i1 %x) {
  br i1 %x, label %a, label %b, !prof !0, !psi.mispredicted !1
a:
  br i1 %x, label %c, label %d, !prof !2, !unpredictable !3
b:
  br i1 %x, label %c, label %d, !unpredictable !4
c:
  br i1 %x, label %b, label %d, !prof !0
d:
  ret void
}
!0 = !{!"branch_weights", i32 40, i32 60}
!1 = !{i32 100, i32 1000}
!2 = !{!"branch_weights", i32 1, i32 99}
!3 = !{i32 2000, i32 3000}
!4 = !{}
)");
  std::vector<std::optional<double>> rates;
  for (const llvm::BasicBlock& block : *module->getFunction("f")) {
    rates.push_back(misprediction_rate(*block.getTerminator()));
  }
  ASSERT_EQ(rates.size(), 5u);
  EXPECT_NEAR(rates[0].value_or(-1), 0.31, 1e-9);
  EXPECT_NEAR(rates[1].value_or(-1), 0.01, 1e-9);
  EXPECT_FALSE(rates[2] || rates[3]);
}

TEST(Predictability, IsImported) {
  Module module = import_text(R"(
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %then, label %join, !prof !0, !psi.mispredicted !1
then:
  br label %join
join:
  %r = phi i32 [ 1, %entry ], [ 2, %then ]
  ret i32 %r
}
!0 = !{!"branch_weights", i32 50, i32 50}
!1 = !{i32 300, i32 5000}
)",
                              ImportMode::Ssa);
  const Function& function = *module.find_function("f");
  InstId branch = function.terminators(function.entry()).back();
  EXPECT_EQ(function.misprediction_rate(branch), 3u);
  EXPECT_EQ(function.edge_counts(branch).size(), 2u);
}

// Calls the predictor with outcomes of a kind, and adds what it misses.
class PredictorTest : public testing::Test {
 protected:
  static uint64_t mispredicted(std::string_view outcome, uint64_t times) {
    llvm::LLVMContext context;
    llvm::Module module("predictor", context);
    branch_predictor(module);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    text += R"(
@state = internal global [3 x i16] zeroinitializer
define i64 @f(i64 %times) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %random = phi i64 [ 1, %entry ], [ %random2, %loop ]
  %random1 = mul i64 %random, 6364136223846793005
  %random2 = add i64 %random1, 1442695040888963407
  %bit = lshr i64 %random2, 60
  %seventh = urem i64 %i, 7
)";
    text += "  %outcome = " + std::string(outcome);
    text += R"(
  %mispredicted = call i64 @__psi_predict(ptr @state, i32 12345, i1 %outcome, i1 true)
  %more = add i64 %sum, %mispredicted
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %times
  br i1 %done, label %out, label %loop
out:
  ret i64 %more
}
)";
    return run_both(text, {times});
  }
};

TEST_F(PredictorTest, PredictsWhatRepeats) {
  EXPECT_LT(mispredicted("icmp eq i64 %i, -1", 1000), 10u);
  EXPECT_LT(mispredicted("trunc i64 %i to i1", 1000), 30u);
  EXPECT_LT(mispredicted("icmp eq i64 %seventh, 3", 1000), 50u);
}

TEST_F(PredictorTest, DoesNotPredictRandomBits) {
  EXPECT_GT(mispredicted("icmp slt i64 %bit, 8", 2000), 800u);
}

}  // namespace
}  // namespace psi::llvm_bridge
