// Loops whose end is mispredicted stay whole.
#include "llvm/passes/prevent_peeling.h"
#include "llvm/profile/predictability.h"
#include "transforming.h"

namespace psi::llvm_bridge {
namespace {

constexpr std::string_view kLoop = R"(
define i32 @f(i32 noundef %n) "psi-predictability" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %sum, %i
  %j = add nuw i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %exit, !prof !1
exit:
  ret i32 %next
}
!1 = !{!"branch_weights", i32 900, i32 100}
)";

class PredictableLoops : public TransformTest {};

TEST_F(PredictableLoops, ThatEndUnpredictablyStayWhole) {
  std::string text(kLoop);
  EXPECT_FALSE(transform(text, prevent_peeling));
  text.replace(text.find("label %exit, !prof !1"), 21, "label %exit, !prof !1, !psi.mispredicted !2");
  EXPECT_FALSE(transform(text + "!2 = !{i32 50, i32 1000}\n", prevent_peeling));
  EXPECT_TRUE(transform(text + "!2 = !{i32 300, i32 1000}\n", prevent_peeling));
  EXPECT_NE(print().find("llvm.loop.peeled.count"), std::string::npos);
}

}  // namespace
}  // namespace psi::llvm_bridge
