// Instructions that psic IR has no words for, intrinsics that mean nothing, and freeze.

#include "importing.h"

namespace psi {
namespace {

TEST(ImportOpaque, BecomesACallOfItsOwn) {
  constexpr std::string_view text = R"(
define i32 @f(ptr %p, i32 %x, double %d) {
  %a = atomicrmw add ptr %p, i32 %x seq_cst
  %b = load atomic i32, ptr %p acquire, align 4
  store atomic i32 7, ptr %p release, align 4
  fence seq_cst
  %c = call i32 asm sideeffect "nop", "=r,r"(i32 %x)
  %e = call double @llvm.sin.f64(double %d)
  %g = call i1 @llvm.is.fpclass.f64(double %e, i32 3)
  %k = cmpxchg ptr %p, i32 1, i32 %x seq_cst seq_cst
  %l = extractvalue { i32, i1 } %k, 0
  %r = add i32 %b, %l
  ret i32 %r
}
declare double @llvm.sin.f64(double)
declare i1 @llvm.is.fpclass.f64(double, i32)
)";
  Module module = import_text(text, ImportMode::Ssa);
  auto params = [&](int n) {
    return module.find_function("psi.llvm." + std::to_string(n))->signature.params;
  };
  auto attributes = [&](int n) { return module.find_function("psi.llvm." + std::to_string(n))->attributes; };
  EXPECT_EQ(params(0), (std::vector<Type>{Type::ptr, Type::i32}));
  EXPECT_FALSE(attributes(0).readnone || attributes(0).readonly);
  EXPECT_EQ(params(1), (std::vector<Type>{Type::ptr}));
  EXPECT_EQ(params(2), (std::vector<Type>{Type::ptr}));  // constants stay in the instruction
  EXPECT_EQ(params(3), (std::vector<Type>{}));
  EXPECT_EQ(params(4), (std::vector<Type>{Type::i32}));
  EXPECT_FALSE(attributes(4).readnone);
  EXPECT_TRUE(attributes(5).readnone);
  EXPECT_EQ(params(6), (std::vector<Type>{Type::f64}));
  EXPECT_EQ(params(7), (std::vector<Type>{Type::ptr, Type::i32, Type::ptr}));
  EXPECT_FALSE(module.find_function("psi.llvm.8"));
}

TEST(ImportOpaque, OfAFunctionThatFailsIsForgotten) {
  std::vector<LlvmRemark> remarks;
  Module module = import_text(R"(
define void @g(<2 x i32> %v) {
  fence seq_cst
  ret void
}
define void @h() {
  fence seq_cst
  %v = freeze <2 x i32> zeroinitializer
  ret void
}
define void @f(i32 %x) {
  %y = atomicrmw add ptr null, i32 %x seq_cst
  ret void
}
)",
                              ImportMode::Ssa, &remarks);
  EXPECT_EQ(remarks.size(), 2u);
  EXPECT_EQ(module.find_function("psi.llvm.0")->signature.params, (std::vector<Type>{Type::i32}));
  EXPECT_FALSE(module.find_function("psi.llvm.1"));
}

TEST(ImportIntrinsics, ThatOnlyInformAreDropped) {
  EXPECT_EQ(run_both(R"(
define i32 @f(i32 %x) {
  %c = icmp sgt i32 %x, 0
  call void @llvm.assume(i1 %c)
  call void @llvm.donothing()
  %e = call i32 @llvm.expect.i32(i32 %x, i32 1)
  %k = call i1 @llvm.is.constant.i32(i32 %e)
  %f = freeze i32 3
  %r = select i1 %k, i32 0, i32 %e
  %s = add i32 %r, %f
  ret i32 %s
}
declare void @llvm.assume(i1)
declare void @llvm.donothing()
declare i32 @llvm.expect.i32(i32, i32)
declare i1 @llvm.is.constant.i32(i32)
)",
                     {8}),
            11u);
}

// --- Freeze
// -------------------------------------------------------------------------------------------------

TEST(ImportFreeze, GivesAValueWhereThereIsNone) {
  EXPECT_EQ(run_both(R"(
define i32 @f(i32 %x) {
  %far = shl i32 1, %x
  %frozen = freeze i32 %far
  %low = and i32 %frozen, 0
  %same = freeze i32 %x
  %r = or i32 %low, %same
  ret i32 %r
}
)",
                     {40}),
            40u);
}

TEST(ImportFreeze, StaysWithinANonNativeWidth) {
  EXPECT_EQ(run_both(R"(
define i1 @f(i8 %x) {
  %narrow = trunc i8 %x to i5
  %far = lshr i5 %narrow, %narrow
  %frozen = freeze i5 %far
  %within = icmp ule i5 %frozen, -1
  ret i1 %within
}
)",
                     {29}),
            1u);
}

TEST(ImportFreeze, IsWrittenBack) {
  constexpr std::string_view text = R"(
define ptr @f(ptr %p, double %d) {
  %q = freeze ptr %p
  %e = freeze double %d
  store double %e, ptr %q
  ret ptr %q
}
)";
  for (ImportMode mode : {ImportMode::Ssa, ImportMode::Plain}) {
    EXPECT_EQ(count_ops(*import_text(text, mode).find_function("f"), Opcode::Freeze), 2u);
    std::string back = written_back(text, mode);
    EXPECT_NE(back.find("= freeze ptr %p"), std::string::npos) << back;
    EXPECT_NE(back.find("= freeze double %d"), std::string::npos) << back;
  }
}

TEST(ImportFreeze, NotOfStructs) {
  EXPECT_EQ(reason_for("define void @f({ i32, i32 } %s) {\n  %r = freeze { i32, i32 } %s\n  ret void\n}\n"),
            "takes a struct as a parameter");
  EXPECT_EQ(
      reason_for("define void @f(ptr %p) {\n  %s = load { i32, i32 }, ptr %p\n  %r = freeze { i32, i32 } "
                 "%s\n  ret void\n}\n"),
      "freezes a struct");
}

}  // namespace
}  // namespace psi
