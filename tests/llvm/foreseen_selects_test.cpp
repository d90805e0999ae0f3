// Selects that were measured to be foreseen become branches in innermost loops.
#include "llvm/foreseen_selects.h"

#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "importing.h"
#include "llvm/predictability.h"

namespace psi::llvm_bridge {
namespace {

// %s and %t have one condition; %hard is not foreseen; %logic is a condition itself; nobody measured %u; no
// round decides what %free is in the next.
std::string loop_with_selects(std::string_view attributes) {
  return std::string(kTarget) + R"(
define i32 @f(ptr %p, i32 %n, i1 %hot) )" +
         std::string(attributes) + R"( {
entry:
  %outside = select i1 %hot, i32 1, i32 2, !prof !0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %x = phi i32 [ %outside, %entry ], [ %sum, %loop ]
  %at = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %at
  %c = icmp slt i32 %v, %x
  %s = select i1 %c, i32 %v, i32 %x, !prof !0
  %t = select i1 %c, i32 3, i32 %i, !prof !0
  %d = icmp eq i32 %v, 7
  %hard = select i1 %d, i32 %s, i32 %t, !prof !1, !unpredictable !2
  %logic = select i1 %c, i1 %d, i1 false, !prof !0
  %z = zext i1 %logic to i32
  %u = select i1 %d, i32 %z, i32 %s
  %odd = trunc i32 %i to i1
  %free = select i1 %odd, i32 5, i32 6, !prof !0
  store i32 %free, ptr %at
  %h = add i32 %hard, %u
  %sum = add i32 %h, %t
  %j = add nuw i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %sum
}
!0 = !{!"branch_weights", i32 990, i32 10}
!1 = !{!"branch_weights", i32 500, i32 500}
!2 = !{}
)";
}

struct Counts {
  uint32_t selects = 0, branches = 0, frozen = 0;
};

Counts count(const llvm::Function& function) {
  Counts counts;
  for (const llvm::Instruction& inst : llvm::instructions(function)) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&inst);
    counts.selects += llvm::isa<llvm::SelectInst>(inst);
    counts.frozen += llvm::isa<llvm::FreezeInst>(inst);
    counts.branches += branch && branch->isConditional();
  }
  return counts;
}

class ForeseenSelects : public testing::Test {
 protected:
  llvm::Function& parse(const std::string& text) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseIR(*llvm::MemoryBuffer::getMemBufferCopy(text, "test.ll"), diagnostic, context_);
    EXPECT_TRUE(module_) << diagnostic.getMessage().str();
    return *module_->getFunction("f");
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(ForeseenSelects, BecomeOneBranchForEachCondition) {
  llvm::Function& f = parse(loop_with_selects("\"psi-predictability\""));
  EXPECT_TRUE(branch_on_foreseen(f));
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
  Counts counts = count(f);
  EXPECT_EQ(counts.selects, 5u);  // outside, hard, logic, u, free
  EXPECT_EQ(counts.branches, 2u);
  // What was loaded may be poison.
  EXPECT_EQ(counts.frozen, 1u);
  for (const llvm::BasicBlock& block : f) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional() || !llvm::isa<llvm::FreezeInst>(branch->getCondition()))
      continue;
    EXPECT_NEAR(missed_share(*branch).value(), 0.01, 0.001);
    EXPECT_NEAR(rarer_share(*branch).value(), 0.01, 0.001);
  }
  EXPECT_FALSE(branch_on_foreseen(f));
}

TEST_F(ForeseenSelects, StayWhereNothingWasMeasured) {
  llvm::Function& f = parse(loop_with_selects(""));
  EXPECT_FALSE(branch_on_foreseen(f));
  EXPECT_EQ(count(f).selects, 7u);
}

}  // namespace
}  // namespace psi::llvm_bridge
