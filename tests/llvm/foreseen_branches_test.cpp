// What was measured to be foreseen: selects, and conditions that were joined, become branches.
#include "llvm/foreseen_conditions.h"
#include "llvm/foreseen_loops.h"
#include "llvm/foreseen_selects.h"
#include "llvm/header_copies.h"
#include "llvm/predictability.h"
#include "transforming.h"

namespace psi::llvm_bridge {
namespace {

using testing::Each;
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
  %found = select i1 %greater, i32 %best, i32 %node, !prof !0, !psi.missed !2
  %child = select i1 %greater, ptr @left, ptr @right, !prof !0, !psi.missed !2
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

class ForeseenBranches : public TransformTest {};

TEST_F(ForeseenBranches, EachSideLoadsAndEndsTheLoopByItself) {
  EXPECT_TRUE(transform(kTree, branch_on_foreseen, kWanted));
  EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(0));
  EXPECT_THAT(all<llvm::LoadInst>(), SizeIs(3));
  EXPECT_THAT(conditional_branches(), SizeIs(3));
}

TEST_F(ForeseenBranches, ARareSideGetsNoEndOfItsOwn) {
  std::string text(kTree);
  text.replace(text.find("i32 500, i32 500"), 16, "i32 990, i32 10");
  EXPECT_TRUE(transform(text, branch_on_foreseen, kWanted));
  EXPECT_THAT(conditional_branches(), SizeIs(2));
}

TEST_F(ForeseenBranches, EachSideGetsACopyOfTheHeader) {
  auto both = [](llvm::Function& function) {
    return branch_on_foreseen(function) && copy_short_headers(function);
  };
  EXPECT_TRUE(transform(kTree, both, kWanted));
  EXPECT_TRUE(has_copied_headers(*module_));
  EXPECT_THAT(all<llvm::LoadInst>(), SizeIs(5));
  EXPECT_THAT(conditional_branches(), SizeIs(5));
  EXPECT_FALSE(copy_short_headers(f()));
}

// What is stored before the load must not be read after it.
TEST_F(ForeseenBranches, LoadsStayBehindStores) {
  std::string text(kTree);
  text.replace(text.find("@left = constant"), 16, "@left = global");
  text.replace(text.find("  %next = load"), 0, "  store i32 -1, ptr @left\n");
  EXPECT_TRUE(transform(text, branch_on_foreseen, kWanted));
  EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(0));
  EXPECT_THAT(all<llvm::LoadInst>(), SizeIs(2));
}

// Three instructions for one value in a thousand.
constexpr std::string_view kRare = R"(
define i32 @f(i32 noundef %n) "psi-predictability" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %rare = icmp eq i32 %i, 7
  %a = mul i32 %i, 3
  %b = xor i32 %a, %n
  %c = shl i32 %b, 2
  %x = select i1 %rare, i32 %c, i32 %i, !prof !0
  %next = add i32 %sum, %x
  %j = add nuw i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %exit, !prof !1
exit:
  ret i32 %next
}
!0 = !{!"branch_weights", i32 1, i32 999}
!1 = !{!"branch_weights", i32 900, i32 100}
)";

TEST_F(ForeseenBranches, WhatIsRarelyNeededIsComputedThere) {
  EXPECT_TRUE(transform(kRare, branch_on_foreseen, {{1}, {7}, {8}, {20}}));
  EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(0));
  for (const llvm::BinaryOperator* inst : all<llvm::BinaryOperator>()) {
    bool is_rare = inst->getOpcode() != llvm::Instruction::Add;
    EXPECT_EQ(inst->getParent()->getSinglePredecessor() != nullptr, is_rare) << print();
  }
}

TEST_F(ForeseenBranches, WhatIsCheapStays) {
  std::string text(kRare);
  text.replace(text.find("%x = select i1 %rare, i32 %c"), 28, "%x = select i1 %rare, i32 %n");
  EXPECT_FALSE(transform(text, branch_on_foreseen, {{9}}));
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
  br i1 %first, label %one, label %two, !prof !0, !psi.missed !2
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
  br i1 %either, label %loop, label %exit, !prof !1, !psi.missed !2
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

TEST_F(ForeseenBranches, JoinedConditionsAreParted) {
  EXPECT_TRUE(transform(kEither, part_foreseen_conditions, kEnds));
  EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(0));
  std::vector<llvm::BranchInst*> branches = conditional_branches();
  ASSERT_THAT(branches, SizeIs(3));
  // The first decides half of the time; the second goes on nearly always then.
  EXPECT_NEAR(rarer_share(*branches[1]).value(), 0.5, 0.001);
  EXPECT_NEAR(rarer_share(*branches[2]).value(), 0.002, 0.001);
  EXPECT_LT(missed_share(*branches[1]).value(), 0.01);
  EXPECT_LT(missed_share(*branches[2]).value(), 0.01);
  // The second condition, though it may be poison and is frozen, is not computed where the first decides.
  const auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(branches[2]->getCondition());
  ASSERT_TRUE(frozen) << print();
  EXPECT_EQ(llvm::cast<llvm::Instruction>(frozen->getOperand(0))->getParent(), branches[2]->getParent());
}

TEST_F(ForeseenBranches, AndIsPartedLikeOr) {
  std::string text(kEither);
  text.replace(text.find("i1 true, i1 %b"), 14, "i1 %b, i1 false");
  text.replace(text.find("i32 999, i32 1}"), 15, "i32 499, i32 501}");
  text.replace(text.find("!2 = !{i32 10, i32 10}"), 22, "!2 = !{i32 10, i32 5010}");
  EXPECT_TRUE(transform(text, part_foreseen_conditions, kEnds));
  EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(0));
}

TEST_F(ForeseenBranches, WhatIsHardStaysJoined) {
  std::string hard(kEither);
  hard.replace(hard.find("i1 %b, !prof !0"), 15, "i1 %b, !prof !0, !unpredictable !2");
  EXPECT_FALSE(transform(hard, part_foreseen_conditions, kEnds));
  std::string missed(kEither);
  missed.replace(missed.find("!2 = !{i32 10, i32 10}"), 22, "!2 = !{i32 500, i32 10}");
  missed.replace(missed.find("i32 999, i32 1}"), 15, "i32 900, i32 100}");
  EXPECT_FALSE(transform(missed, part_foreseen_conditions, kEnds));
  std::string unmeasured(kEither);
  unmeasured.replace(unmeasured.find("\"psi-predictability\""), 20, "");
  EXPECT_FALSE(transform(unmeasured, part_foreseen_conditions, kEnds));
}

TEST_F(ForeseenBranches, LoopsThatEndAsASurpriseStayWhole) {
  std::string text(kRare);
  EXPECT_FALSE(transform(text, keep_loops_whole));
  text.replace(text.find("label %exit, !prof !1"), 21, "label %exit, !prof !1, !psi.missed !2");
  EXPECT_FALSE(transform(text + "!2 = !{i32 50, i32 1000}\n", keep_loops_whole));
  EXPECT_TRUE(transform(text + "!2 = !{i32 300, i32 1000}\n", keep_loops_whole));
  EXPECT_NE(print().find("llvm.loop.peeled.count"), std::string::npos);
}

}  // namespace
}  // namespace psi::llvm_bridge
