// Programs of every form that break no rule.
#include <gtest/gtest.h>

#include "psi/text/text.h"
#include "psi/verify/verify.h"
#include "verify_cases.h"

namespace psi {
namespace testing {
namespace {

constexpr std::string_view kValid[] = {
    // Globals, and functions that only exist elsewhere.
    R"(
global $counter align 8 { i64 0 }
const $msg { "hello\n\00" }
global $list align 8 { ptr $list + 16, i32 3, zero 4, ptr $f, ptr $e - 8 }
global $empty { }
extern global $e size 8 align 8
extern func $f(ptr, i1, f32, ...) -> i32 nounwind
extern func $g()
)",
    // Every opcode, in plain form.
    R"(
extern func $g(i32, ptr) -> i32
extern func $v(ptr, ...)
global $data align 8 { zero 64 }
func $f(%a: i32, %b: i32, %x: f64, %p: ptr, %n: i64, ...) -> i32 {
@entry:
  %i = add.i32 %a, %b
  %i = sub.i32 %i, -1
  %i = mul.i32 undef, 0x7fffffff
  %i = sdiv.i32 %a, %b
  %i = fshl.i32 %a, %b, 3
  %i = bswap.i32 %a
  %h = bswap.i16 258
  %i = abs.i32 %a
  %o = smul_overflow.i32 %a, %b
  %y = fadd.fast.f64 %x, 1.5
  %y = fma.f64 %x, %x, nan
  %y = sqrt.f64 %y
  %c = cmp.ult.i32 %a, %b
  %c = cmp.oeq.f64 %x, inf
  %c = cmp.fast.uno.f64 %x, %y
  %c = cmp.lt.ptr %p, null
  %c = cmp.eq.i1 %c, true
  %q, %r = cmpp.un.uc.lt.i32 %a, %b if !%c
  %q, %r = cmpp.on.ac.ogt.f64 %x, 1.0 if %c
  %s = cmpp.cn.eq.ptr %p, $data
  %t8 = trunc.i32.i8 %a
  %t1 = trunc.i8.i1 %t8
  %z = zext.i1.i64 %t1
  %z = sext.i8.i64 %t8
  %f = fptrunc.f64.f32 %x
  %y = fpext.f32.f64 %f
  %i = fptosi.f64.i32 %x
  %i = fptoui.f32.i32 %f
  %f = sitofp.i32.f32 %a
  %y = uitofp.i1.f64 %c
  %z = bitcast.f64.i64 %y
  %f = bitcast.i32.f32 %a
  %z = ptrtoint.ptr.i64 %p
  %u = inttoptr.i64.ptr %z
  %m = mov $data
  %i = select.i32 %c, %a, 5
  %sl = slot 16, align 8
  %sl = slot %n, align 2147483648
  %u = ptradd %p, -4
  %u = ptrindex %p, %n, 4, 8
  %i = load.volatile.deref.i32 %u, align 1
  store.volatile.f64 %y, %sl, align 16
  memcpy.volatile %sl, $data, 16, align 8
  memmove %sl, %p, %n
  memset %sl, 0, %n
  va_start %sl
  %i = va_arg.i32 %sl
  va_copy %sl, %p
  va_end %sl
  %i = call.i32 $g(%a, null)
  call $v(%p, %x, i32 1, f64 2.0)
  %fp = mov $g
  %i = call.i32 %fp(%a, i32 1, ptr null)
  %q ? %i = add.i32 %i, 1
  !%q ? store.i32 %i, %sl
  %q ? br @end
  !%r ? ret 3
  switch.i32 %a, @end, [1: @loop], [-1: @end], [2: @loop], counts 1 2 3 4
@loop: count 7
  br %c, @loop, @more, counts 5 2, line 12
@more:
  br @loop
@end:
  %q ? unreachable
  ret %i
}
)",
    // Plain form: use before definition in the text, loops, unreachable blocks, a redefined parameter.
    R"(
func $f(%a: i32) -> i32 {
@entry:
  br @loop
@loop:
  %x = add.i32 %x, %a
  %a = sub.i32 %a, 1
  %c = cmp.gt.i32 %a, 0
  br %c, @loop, @done
@dead:
  br @loop
@done:
  ret %x
}
)",
    // Ssa: a loop with parallel phis (a swap), a phi of itself.
    R"(
func $f(%a: i32, %b: i32, %n: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %x = phi [@entry: %a], [@loop: %y]
  %y = phi [@entry: %b], [@loop: %x]
  %k = phi [@entry: %n], [@loop: %k1]
  %s = phi.i32 [@entry: 7], [@loop: %s]
  %k1 = sub.i32 %k, 1
  %c = cmp.gt.i32 %k1, 0
  br %c, @loop, @done
@done:
  ret %x
}
)",
    // Ssa: several edges from one block, guarded terminators, unreachable code that uses what it likes.
    R"(
func $f(%a: i32, %p: i1) -> i32 ssa {
@entry:
  %p ? br @join
  !%p ? ret 1
  switch.i32 %a, @join, [1: @join], [2: @other]
@other:
  %v = mov.i32 4
  br @join
@join:
  %x = phi [@entry: %a], [@other: %v]
  ret %x
@dead:
  %w = phi [@dead: %w2]
  %w2 = add.i32 %v, %w3
  %w3 = add.i32 %w2, 1
  br @dead
}
)",
    // Psis: anywhere, before phis' users, of guards in both polarities, of psis, of literals.
    R"(
func $f(%p: i1, %q: i1, %a: i32) -> i32 ssa {
@entry:
  %p ? %x1 = mov.i32 1
  !%p ? %x2 = mov.i32 2
  %x3 = psi %p ? %x1, !%p ? %x2
  %y1 = add.i32 %x3, 1
  %q ? %y2 = mov.i32 2
  %y3 = psi %y1, %q ? %y2
  %z = psi %y3, %x3
  %u = psi %x1, %p ? %x1
  %w = psi %a, %p ? %u, !%p ? %x2, %q ? 4
  %one = psi %p ? %x1
  %v = psi %a, %p ? %one
  ret %w
}
)",
    // A guard within another by computation: not known by name, so not an error.
    R"(
func $f(%p: i1, %r: i1, %a: i32) -> i32 ssa {
@entry:
  %q = and.i1 %p, %r
  %p ? %x = mov.i32 1
  %y = psi %a, %q ? %x
  ret %y
}
)",
    // cmpp in ssa: an old value for each partial target.
    R"(
func $f(%a: i32) -> i1 ssa {
@entry:
  %p1, %q1 = cmpp.un.uc.lt.i32 %a, 4
  %p2, %q2 = cmpp.on.uc.lt.i32 %a, 4 if %p1 old %q1
  %p3, %q3 = cmpp.cn.ac.lt.i32 %a, 4 if !%p1 old %q2, true
  !%p1 ? %p4 = cmpp.cc.eq.i32 %a, 1 old undef
  ret %p3
}
)",
    // Conventional: a loop, with the phi's copy in place.
    R"(
func $f(%a: i32, %n: i32) -> i32 conventional {
@entry:
  %x0 = mov %a
  %k0 = mov %n
  br @loop
@loop:
  %x = phi [@entry: %x0], [@loop: %x1]
  %k = phi [@entry: %k0], [@loop: %k1]
  %x1 = add.i32 %x, 3
  %k1 = sub.i32 %k, 1
  %c = cmp.gt.i32 %k1, 0
  br %c, @loop, @done
@done:
  ret %x1
}
)",
    // Conventional: guarded definitions in order; reads of the first where the second is not written, by a
    // guarded instruction, a select, a cmpp and a psi; a copy of a live member; disjoint guards in any order;
    // guards of which nothing is known.
    R"(
func $f(%a: i32, %p: i1, %q: i1) -> i32 conventional {
@entry:
  %x1 = add.i32 %a, 1
  %p ? %x2 = add.i32 %a, 2
  %x3 = psi %x1, %p ? %x2
  !%p ? %t = add.i32 %x1, 1
  %u = select.i32 %p, %a, %x1
  %w = cmpp.un.lt.i32 %x1, 4 if !%p
  %q ? %x4 = add.i32 %x3, 1
  %x5 = psi %x3, %q ? %x4
  %y1 = mov %a
  %y2 = mov %y1
  %y3 = psi %y1, %q ? %y2
  %v = add.i32 %y1, %y2
  !%p ? %z2 = add.i32 %a, 9
  %p ? %z1 = add.i32 %a, 8
  %z3 = psi %p ? %z1, !%p ? %z2
  %np = not.i1 %p
  %m1 = add.i32 %a, 1
  %p ? %m2 = add.i32 %a, 2
  %m3 = psi %m1, %p ? %m2
  %np ? %m4 = mov %m1
  %e1 = add.i32 %a, 7
  %e2 = add.i32 %a, 8
  %e3 = psi undef, %p ? %e1
  ret %x5
}
)",
    // Conventional: merges of copies of one value, and a value that stays live past its phi.
    R"(
func $f(%a: i32, %p: i1) -> i32 conventional {
@entry:
  %b = mov %a
  br %p, @one, @two
@one:
  br @two
@two:
  %x = phi [@entry: %a], [@one: %b]
  %y = phi.i32 [@entry: undef], [@one: %b]
  %s = add.i32 %x, %a
  %t = add.i32 %s, %y
  ret %t
}
)",
    // Allocated: a register of one class holds several types; packets.
    R"(
func $f(%r0: i64, %f0: f64, %p0: i1) -> i32 allocated {
@entry:
  %r1 = add.i32 %r0, 1
  %f1 = fadd.f32 %f0, 1.0 ;;
  %r1 = load.i64 %r0
  %p0 ? %r2 = mov.i32 1
  !%p0 ? %r2 = mov.i32 2 ;;
  %p1 = mov.i1 false ;;
  %p1 = cmpp.on.lt.i32 %r0, 1
  %p1 = cmpp.oc.gt.i32 %r1, 7 ;;
  br @done ;;
@done:
  %r1 = mov.i32 1
  %r1 = mov.i32 2
  ret %r1
}
)",
};

}  // namespace

std::span<const std::string_view> valid_programs() { return kValid; }

}  // namespace testing

namespace {

TEST(VerifyValid, ProgramsOfEveryForm) {
  for (std::string_view text : testing::valid_programs()) {
    Result<Module> module = parse(text);
    ASSERT_TRUE(module) << render(module, "test", text);
    Result<void> verified = verifies(*module);
    EXPECT_TRUE(verified) << text << render(verified, "test", {});
    EXPECT_TRUE(verified.diagnostics().all().empty());
  }
}

TEST(VerifyValid, AnEmptyModule) {
  Result<void> verified = verifies(Module());
  EXPECT_TRUE(verified);
}

}  // namespace
}  // namespace psi
