// What psicc's own list of passes makes of predictable conditions, from LLVM IR to LLVM IR.
#include "llvm/passes/llvm_pass.h"
#include "llvm/profile/predictability.h"
#include "psi/pipeline/pipeline.h"
#include "transforming.h"

namespace psi::llvm_bridge {
namespace {

using testing::SizeIs;

// Looks a number up in a search tree: the address that is loaded from is selected, as is the best so far.
constexpr std::string_view kTree = R"(
@keys = constant [7 x i32] [i32 40, i32 20, i32 60, i32 10, i32 30, i32 50, i32 70]
@left = constant [7 x i32] [i32 1, i32 3, i32 5, i32 -1, i32 -1, i32 -1, i32 -1]
@right = constant [7 x i32] [i32 2, i32 4, i32 6, i32 -1, i32 -1, i32 -1, i32 -1]
define i32 @f(i32 noundef %x) "psi-predictability" {
entry:
  br label %loop
loop:
  %node = phi i32 [ 0, %entry ], [ %next, %loop ]
  %best = phi i32 [ -1, %entry ], [ %found, %loop ]
  %index = zext nneg i32 %node to i64
  %at = getelementptr inbounds i32, ptr @keys, i64 %index
  %key = load i32, ptr %at
  %greater = icmp sgt i32 %key, %x
  %found = select i1 %greater, i32 %best, i32 %node, !prof !0, !psi.mispredicted !2
  %child = select i1 %greater, ptr @left, ptr @right, !prof !0, !psi.mispredicted !2
  %from = getelementptr inbounds i32, ptr %child, i64 %index
  %next = load i32, ptr %from
  %more = icmp sgt i32 %next, -1
  br i1 %more, label %loop, label %exit, !prof !1
exit:
  ret i32 %found
}
!0 = !{!"branch_weights", i32 500, i32 500}
!1 = !{!"branch_weights", i32 900, i32 100}
!2 = !{i32 90, i32 5000}
)";
const std::vector<std::vector<uint64_t>> kWanted = {{0}, {10}, {15}, {25}, {30}, {39}, {55}, {60}, {99}};

class PredictedConditions : public TransformTest {
 protected:
  bool compile(std::string_view text, const Inputs& inputs) {
    return transform(
        text,
        [](llvm::Function& function) {
          LlvmPassOptions options;
          options.passes = *parse_passes(PassTable::builtin(), "psicc(target=x86-64)");
          options.report = [](const LlvmPassMessage& message) { ADD_FAILURE() << message.text; };
          return run_llvm_pass(*function.getParent(), options);
        },
        inputs);
  }
};

TEST_F(PredictedConditions, EachSideLoadsAndHasItsOwnHeader) {
  EXPECT_TRUE(compile(kTree, kWanted));
  EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(0)) << print();
  EXPECT_THAT(all<llvm::LoadInst>(), SizeIs(5)) << print();
  EXPECT_THAT(conditional_branches(), SizeIs(5)) << print();
  // What is loaded is extended as it is loaded, not as it is used.
  for (const llvm::ZExtInst* extension : all<llvm::ZExtInst>()) {
    EXPECT_FALSE(llvm::isa<llvm::PHINode>(extension->getOperand(0))) << print();
  }
}

TEST_F(PredictedConditions, WithoutAMeasurementSelectsStay) {
  std::string text(kTree);
  for (std::string_view mark :
       {", !psi.mispredicted !2", ", !psi.mispredicted !2", " \"psi-predictability\""}) {
    text.erase(text.find(mark), mark.size());
  }
  static_cast<void>(compile(text, kWanted));
  EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(2)) << print();
}

// Goes on while either of two counters has not come to its end.
constexpr std::string_view kEither = R"(
define i32 @f(i32 noundef %n, i32 noundef %m) "psi-predictability" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i2, %join ]
  %j = phi i32 [ 0, %entry ], [ %j2, %join ]
  %first = icmp slt i32 %i, %n
  br i1 %first, label %one, label %two, !prof !0, !psi.mispredicted !2
one:
  %i1 = add nsw i32 %i, 2
  br label %join
two:
  %j1 = add nsw i32 %j, 3
  br label %join
join:
  %i2 = phi i32 [ %i1, %one ], [ %i, %two ]
  %j2 = phi i32 [ %j, %one ], [ %j1, %two ]
  %a = icmp slt i32 %i2, %n
  %b = icmp slt i32 %j2, %m
  %either = select i1 %a, i1 true, i1 %b, !prof !0
  br i1 %either, label %loop, label %exit, !prof !1, !psi.mispredicted !2
exit:
  %r = phi i32 [ %i2, %join ]
  %s = add i32 %r, %j2
  ret i32 %s
}
!0 = !{!"branch_weights", i32 500, i32 500}
!1 = !{!"branch_weights", i32 999, i32 1}
!2 = !{i32 10, i32 10}
)";
const std::vector<std::vector<uint64_t>> kEnds = {{0, 0}, {0, 9}, {9, 0}, {5, 5}, {12, 40}};

TEST_F(PredictedConditions, AreSplitAndStaySplit) {
  EXPECT_TRUE(compile(kEither, kEnds));
  for (const llvm::SelectInst* select : all<llvm::SelectInst>()) {
    EXPECT_FALSE(select->getType()->isIntegerTy(1)) << print();
  }
  // What leaves the loop; if-convert made selects of the other one.
  std::vector<llvm::BranchInst*> branches = conditional_branches();
  ASSERT_THAT(branches, SizeIs(2)) << print();
  // LLVM would join the two again if the second condition were no more than a comparison.
  for (const llvm::BranchInst* branch : branches) {
    EXPECT_TRUE(llvm::isa<llvm::FreezeInst>(branch->getCondition())) << print();
  }
}

}  // namespace
}  // namespace psi::llvm_bridge
