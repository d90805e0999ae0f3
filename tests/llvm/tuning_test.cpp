// Forms of LLVM IR that its code generator makes better code of.
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include "llvm/passes/conditional_shifts.h"
#include "llvm/passes/conditional_stores.h"
#include "llvm/passes/hot_loops.h"
#include "llvm/passes/x86_forms.h"
#include "llvm/profile/predictability.h"
#include "transforming.h"

namespace psi::llvm_bridge {
namespace {

using testing::SizeIs;

class Tuning : public TransformTest {
 protected:
  bool has(std::string_view text) { return print().find(text) != std::string::npos; }
};

TEST_F(Tuning, ShiftsOfVectorsByAConditionAreSelects) {
  constexpr std::string_view kShifts = R"(
define <4 x i32> @f(<4 x i32> %x, <4 x i32> %y, i32 %s) #0 {
  %c = icmp ult <4 x i32> %x, %y
  %by = zext <4 x i1> %c to <4 x i32>
  %shifted = lshr exact <4 x i32> %x, %by
  %d = icmp ult i32 %s, 7
  %by_one = zext i1 %d to i32
  %scalar = shl i32 %s, %by_one
  %r = insertelement <4 x i32> %shifted, i32 %scalar, i32 0
  ret <4 x i32> %r
}
attributes #0 = { "target-cpu"="TARGET" }
)";
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  for (bool is_new : {false, true}) {
    const char* processor = is_new ? "haswell" : "x86-64";
    std::string text(kShifts), error;
    text.replace(text.find("TARGET"), 6, processor);
    llvm::Function& function = parse(text);
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget("x86_64-pc-linux-gnu", error);
    ASSERT_TRUE(target) << error;
    std::unique_ptr<llvm::TargetMachine> machine(
        target->createTargetMachine("x86_64-pc-linux-gnu", processor, "", {}, {}));
    // One that shifts each element by its own number of bits needs nothing else.
    EXPECT_EQ(select_conditional_shifts(function, machine->getTargetTransformInfo(function)), !is_new);
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
    EXPECT_THAT(all<llvm::SelectInst>(), SizeIs(is_new ? 0 : 1));
    EXPECT_EQ(has("lshr exact"), is_new);
  }
}

// A copy with a bit set is a sum; what takes the register of its operand is not.
constexpr std::string_view kBits = R"(
define i32 @f(i32 %x) ATTRIBUTES {
  %even = and i32 %x, -33
  %a = or disjoint i32 %even, 32
  %b = add i32 %a, %even
  %low = shl i32 %b, 1
  %c = or disjoint i32 %low, 1
  %d = or i32 %x, %c
  ret i32 %d
}
)";

std::string with_attributes(std::string_view attributes) {
  std::string text(kBits);
  return text.replace(text.find("ATTRIBUTES"), 10, attributes);
}

TEST_F(Tuning, SumsAreLea) {
  EXPECT_TRUE(
      transform(with_attributes("\"target-features\"=\"+sse2\""), prefer_lea, {{0}, {5}, {37}, {4096}}));
  EXPECT_TRUE(has("%a = add i32 %even, 32")) << print();
  EXPECT_TRUE(has("%c = or disjoint")) << print();
  EXPECT_TRUE(has("\"target-features\"=\"+sse2,-slow-3ops-lea\"")) << print();
  EXPECT_FALSE(prefer_lea(f()));
}

TEST_F(Tuning, ProcessorsThatTheUserNamedKeepTheirSums) {
  EXPECT_TRUE(transform(with_attributes("\"tune-cpu\"=\"skylake\""), prefer_lea, {{5}}));
  EXPECT_FALSE(has("slow-3ops-lea"));
  EXPECT_TRUE(transform(with_attributes("\"tune-cpu\"=\"generic\""), prefer_lea, {{5}}));
  EXPECT_TRUE(has("\"target-features\"=\"-slow-3ops-lea\"")) << print();
  EXPECT_TRUE(transform(with_attributes("\"target-features\"=\"+slow-3ops-lea\""), prefer_lea, {{5}}));
  EXPECT_FALSE(has("-slow-3ops-lea"));
}

// A loop in a loop that is entered often; the inner one has one or two iterations.
constexpr std::string_view kLoops = R"(
define void @f(i32 %n) !prof !0 {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %last ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %j1 = add i32 %j, 1
  %more = icmp ult i32 %j1, %i
  br i1 %more, label %inner, label %last, !prof !2
last:
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, %n
  br i1 %again, label %outer, label %exit, !prof !1
exit:
  ret void
}
!0 = !{!"function_entry_count", i64 10}
!1 = !{!"branch_weights", i32 99, i32 1}
!2 = !{!"branch_weights", i32 1, i32 9}
)";

TEST_F(Tuning, LoopsWithManyIterationsAreAligned) {
  EXPECT_TRUE(transform(kLoops, align_hot_loops));
  for (const llvm::BranchInst* branch : conditional_branches()) {
    bool is_outer = branch->getParent()->getName() == "last";
    EXPECT_EQ(branch->hasMetadata("llvm.loop"), is_outer);
  }
  EXPECT_TRUE(has("llvm.loop.align"));
  std::string never(kLoops);
  never.replace(never.find("i64 10"), 6, "i64 0");
  EXPECT_FALSE(transform(never, align_hot_loops));
}

TEST_F(Tuning, StoresTellHowOftenTheyAreDone) {
  constexpr std::string_view kLoop = R"(
define void @f(i32 %n, ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %last ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %last, label %rare, !prof !0
rare:
  store i32 %i, ptr %p
  br label %last
last:
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %exit
exit:
  store i32 0, ptr %p
  ret void
}
!0 = !{!"branch_weights", i32 970, i32 30}
)";
  llvm::Function& function = parse(kLoop);
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::BranchProbabilityInfo odds(function, loops);
  llvm::BlockFrequencyInfo frequencies(function, odds, loops);
  note_conditional_stores(loops, frequencies);
  // As they come from the vectoriser.
  llvm::BranchInst* branch = conditional_branches()[0];
  EXPECT_FALSE(weigh_conditional_stores(function));
  branch->setMetadata(llvm::LLVMContext::MD_prof, nullptr);
  EXPECT_TRUE(weigh_conditional_stores(function));
  EXPECT_NEAR(rarer_probability(*branch).value(), 0.03, 0.001);
  llvm::BranchProbabilityInfo now(function, loops);
  EXPECT_GT(now.getEdgeProbability(branch->getParent(), 0u), llvm::BranchProbability(9, 10));
  EXPECT_FALSE(all<llvm::StoreInst>()[1]->hasMetadata("psi.done"));
}

}  // namespace
}  // namespace psi::llvm_bridge
