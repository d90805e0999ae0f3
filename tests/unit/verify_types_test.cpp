// Broken instructions: types, guards, modifiers.
#include "verify_cases.h"

namespace psi::testing {
namespace {

constexpr std::string_view kCall = R"(
extern func $two(i32, ptr) -> i32
extern func $many(i32, ...) -> i32
func $f(%a: i32, %p: ptr) -> i32 {
@entry:
  %x = call.i32 $two(%a, %p)
  ret %x
}
)";

constexpr std::string_view kCmpp = R"(
func $f(%a: i32, %o: i1) ssa {
@entry:
  %p, %q = cmpp.on.uc.lt.i32 %a, 1 old %o
  ret
}
)";

constexpr std::string_view kGuarded = R"(
func $f(%a: i32, %p: i1) -> i32 ssa {
@entry:
  %p ? %x = mov %a
  %y = psi %a, %p ? %x
  br @next
@next:
  %z = phi [@entry: %y]
  ret %z
}
)";

constexpr BrokenProgram kTypesCases[] = {
    {"suffix-type", "func $f(%a: i32) {\n@a:\n  %x = add.i32 %a, %a\n  ret\n}",
     [](Module& m) { inst(m, 0).type = Type::f32; }},
    {"suffix-type", "func $f(%a: i32) {\n@a:\n  %x = add.i32 %a, %a\n  ret\n}",
     [](Module& m) { inst(m, 0).type = Type::none; }},
    {"suffix-type", "func $f(%a: i32) {\n@a:\n  ret\n}", [](Module& m) { inst(m, 0).type = Type::i32; }},
    {"operand-type", "func $f(%a: i32, %b: i64) {\n@a:\n  %x = add.i32 %a, %b\n  ret\n}"},
    {"operand-type", "func $f(%a: i32) {\n@a:\n  br %a, @b, @b\n@b:\n  ret\n}"},
    {"operand-type", "func $f(%a: i32) {\n@a:\n  %x = load.i32 %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i32, %p: ptr) {\n@a:\n  store.i64 %a, %p\n  ret\n}"},
    {"operand-type", "func $f(%a: i32, %p: ptr) {\n@a:\n  store.i32 %a, %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i32, %p: ptr) {\n@a:\n  memcpy %p, %p, %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i32, %p: ptr) {\n@a:\n  memset %p, %a, 4\n  ret\n}"},
    {"operand-type", "func $f(%a: i32, %p: ptr) {\n@a:\n  %q = ptradd %p, %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i32) {\n@a:\n  %s = slot %a, align 8\n  ret\n}"},
    {"operand-type", "func $f(%a: i32) {\n@a:\n  va_end %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i32) {\n@a:\n  %x = va_arg.i32 %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i32, %p: ptr) {\n@a:\n  va_copy %p, %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i32) {\n@a:\n  call %a()\n  ret\n}"},
    {"operand-type", "func $f(%a: i64) {\n@a:\n  switch.i32 %a, @b, [1: @b]\n@b:\n  ret\n}"},
    {"operand-type", "func $f(%a: i64) -> i32 {\n@a:\n  ret %a\n}"},
    {"operand-type", "func $f(%a: i64, %c: i8) {\n@a:\n  %x = select.i64 %c, %a, 1\n  ret\n}"},
    {"operand-type", "func $f(%a: i64) {\n@a:\n  %x = trunc.i32.i8 %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i64) {\n@a:\n  %x = cmp.eq.ptr %a, null\n  ret\n}"},
    {"operand-type", "func $f(%a: f32) {\n@a:\n  %x = fma.f64 1.0, 2.0, %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i16) {\n@a:\n  %x = uadd_overflow.i32 %a, 2\n  ret\n}"},
    {"operand-type", "func $f(%a: i64) ssa {\n@a:\n  %x = psi.i32 %a\n  ret\n}"},
    {"operand-type", "func $f(%a: i64) ssa {\n@a:\n  br @b\n@b:\n  %x = phi.i32 [@a: %a]\n  ret\n}"},
    // In allocated form the class has to agree, not the type; literals still have their type.
    {"operand-type", "func $f(%a: f64) allocated {\n@a:\n  %x = add.i32 %a, 1\n  ret\n}"},
    {"operand-type", "func $f(%a: i1) allocated {\n@a:\n  %x = add.i32 %a, 1\n  ret\n}"},
    {"operand-type", "func $f(%a: i64) allocated {\n@a:\n  %x = add.i32 %a, 1\n  ret\n}",
     [](Module& m) { f(m).operands(nth(f(m), 0))[1] = Operand::small(Type::i64, 1); }},

    {"result-count", kCall,
     [](Module& m) {
       inst(m, 0).results[0] = Reg();
       f(m).operands(nth(f(m), 1))[0] = Operand::undef(Type::i32);
     }},
    {"result-count", kCall, [](Module& m) { inst(m, 1).results[0] = f(m).params[0]; }},
    {"result-count", kCmpp, [](Module& m) { inst(m, 0).results[1] = Reg(); }},
    {"result-count", kCmpp, [](Module& m) { inst(m, 0).results[0] = Reg(); }},
    {"result-count", "func $f(%a: i32) {\n@a:\n  %x = mov %a\n  ret\n}",
     [](Module& m) { inst(m, 0).results[1] = f(m).add_reg(Type::i32); }},
    {"result-count", "func $f(%a: i32) {\n@a:\n  %x = mov %a\n  ret\n}",
     [](Module& m) { std::swap(inst(m, 0).results[0], inst(m, 0).results[1]); }},
    {"result-type", "func $f(%a: i32) {\n@a:\n  %x = mov %a\n  ret\n}",
     [](Module& m) { inst(m, 0).results[0] = f(m).add_reg(Type::i64); }},
    {"result-type", "func $f(%a: i32) allocated {\n@a:\n  %x = mov %a\n  ret\n}",
     [](Module& m) { inst(m, 0).results[0] = f(m).add_reg(Type::f32); }},
    {"result-unique", "func $f(%a: i32) {\n@a:\n  %p, %p = cmpp.un.uc.lt.i32 %a, 1\n  ret\n}"},
    {"guard-type", "func $f(%a: i32) {\n@a:\n  %a ? %x = mov %a\n  ret\n}"},
    {"guard-type", "func $f(%a: i32) {\n@a:\n  !%a ? ret\n  ret\n}"},
    {"guard-type", "func $f(%a: i32) ssa {\n@a:\n  %x = psi 1, %a ? %a\n  ret\n}"},
    {"guard-type", "func $f(%a: i32) {\n@a:\n  %p = cmpp.un.lt.i32 %a, 1 if !%a\n  ret\n}"},
    {"guard-place", kGuarded, [](Module& m) { inst(m, 1).guard = Guard(f(m).params[1], false); }},
    {"guard-place", kGuarded, [](Module& m) { inst(m, 3).guard = Guard(f(m).params[1], false); }},
    {"flag-place", "func $f(%a: i32) {\n@a:\n  %x = add.volatile.i32 %a, 1\n  ret\n}"},
    {"flag-place", "func $f(%a: i32) {\n@a:\n  %x = add.fast.i32 %a, 1\n  ret\n}"},
    {"flag-place", "func $f(%a: ptr) {\n@a:\n  store.deref.i32 1, %a\n  ret\n}"},
    {"flag-place", "func $f(%a: ptr) {\n@a:\n  %x = load.fast.f32 %a\n  ret\n}"},
    {"flag-place", "func $f(%a: ptr) {\n@a:\n  ret\n}", [](Module& m) { inst(m, 0).flags = 128; }},

    {"conversion", "func $f(%a: i32) {\n@a:\n  %x = trunc.i32.i64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i32) {\n@a:\n  %x = trunc.i32.i32 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i32) {\n@a:\n  %x = zext.i32.i16 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i32) {\n@a:\n  %x = sext.i32.f64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: f32) {\n@a:\n  %x = fptrunc.f32.f64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: f64) {\n@a:\n  %x = fpext.f64.f32 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i32) {\n@a:\n  %x = fptosi.i32.i32 %a\n  ret\n}"},
    {"conversion", "func $f(%a: f32) {\n@a:\n  %x = fptoui.f32.ptr %a\n  ret\n}"},
    {"conversion", "func $f(%a: f32) {\n@a:\n  %x = sitofp.f32.f64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: ptr) {\n@a:\n  %x = uitofp.ptr.f64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i32) {\n@a:\n  %x = bitcast.i32.f64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i32) {\n@a:\n  %x = bitcast.i32.i32 %a\n  ret\n}"},
    {"conversion", "func $f(%a: ptr) {\n@a:\n  %x = bitcast.ptr.i64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i64) {\n@a:\n  %x = ptrtoint.i64.i64 %a\n  ret\n}"},
    {"conversion", "func $f(%a: i64) {\n@a:\n  %x = inttoptr.i64.i64 %a\n  ret\n}"},
    {"condition-type", "func $f(%a: i32) {\n@a:\n  %x = cmp.lt.i32 %a, 1\n  ret\n}",
     [](Module& m) { inst(m, 0).set_cond(Cond::folt); }},
    {"condition-type", "func $f(%a: f32) {\n@a:\n  %x = cmp.olt.f32 %a, 1.0\n  ret\n}",
     [](Module& m) { inst(m, 0).set_cond(Cond::lt); }},
    {"condition-type", kCmpp, [](Module& m) { inst(m, 0).set_cond(Cond::funo); }},
    {"bswap-width", "func $f(%a: i8) {\n@a:\n  %x = bswap.i8 %a\n  ret\n}"},
    {"bswap-width", "func $f(%a: i1) {\n@a:\n  %x = bswap.i1 %a\n  ret\n}"},
    {"cmpp-olds", "func $f(%a: i32) ssa {\n@a:\n  %p = cmpp.on.lt.i32 %a, 1\n  ret\n}"},
    {"cmpp-olds", "func $f(%a: i32, %o: i1) ssa {\n@a:\n  %p = cmpp.un.lt.i32 %a, 1 old %o\n  ret\n}"},
    {"cmpp-olds", "func $f(%a: i32, %o: i1) ssa {\n@a:\n  %p, %q = cmpp.cn.ac.lt.i32 %a, 1 old %o\n  ret\n}"},
    {"cmpp-olds", "func $f(%a: i32, %o: i1) {\n@a:\n  %p = cmpp.on.lt.i32 %a, 1 old %o\n  ret\n}"},
    {"operand-type", "func $f(%a: i32) ssa {\n@a:\n  %p = cmpp.on.lt.i32 %a, 1 old %a\n  ret\n}"},
    {"switch-cases",
     "func $f(%a: i32) {\n@a:\n  switch.i32 %a, @b, [1: @b], [3: @b], [1: @b]\n@b:\n  ret\n}"},
    {"switch-cases", "func $f(%a: i8) {\n@a:\n  switch.i8 %a, @b, [255: @b], [-1: @b]\n@b:\n  ret\n}"},
    {"return-value", "func $f(%a: i32) -> i32 {\n@a:\n  ret\n}"},
    {"return-value", "func $f(%a: i32) {\n@a:\n  ret\n}",
     [](Module& m) { f(m).set_operands(nth(f(m), 0), std::array{Operand::reg(f(m).params[0])}); }},
    {"call-arguments", "extern func $g(i32, i32)\nfunc $f(%a: i32) {\n@a:\n  call $g(%a)\n  ret\n}"},
    {"call-arguments", "extern func $g()\nfunc $f(%a: i32) {\n@a:\n  call $g(%a)\n  ret\n}"},
    {"call-arguments", "extern func $g(i32, ...)\nfunc $f(%a: i32) {\n@a:\n  call $g()\n  ret\n}"},
    {"call-arguments", "extern func $g(i64, ...)\nfunc $f(%a: i32) {\n@a:\n  call $g(%a, %a)\n  ret\n}"},
    {"call-result", "extern func $g() -> i32\nfunc $f() {\n@a:\n  %x = call.i64 $g()\n  ret\n}"},
    {"call-result", "extern func $g()\nfunc $f() {\n@a:\n  %x = call.i64 $g()\n  ret\n}"},
    {"va-start", "func $f(%a: ptr) {\n@a:\n  va_start %a\n  ret\n}"},
    {"edge-counts", "func $f(%c: i1) {\n@a:\n  br %c, @b, @b, counts 1 2\n@b:\n  ret\n}",
     [](Module& m) { f(m).set_edge_counts(nth(f(m), 0), std::array<uint64_t, 3>{1, 2, 3}); }},
    {"edge-counts", "func $f(%c: i1) {\n@a:\n  br %c, @b, @b, mispredicted 3\n@b:\n  ret\n}",
     [](Module& m) { f(m).set_misprediction_rate(nth(f(m), 0), 101); }},
    {"stop-form", "func $f() {\n@a:\n  ret ;;\n}"},
    {"stop-form", "func $f() ssa {\n@a:\n  ret ;;\n}"},
};

}  // namespace

std::span<const BrokenProgram> broken_types() { return kTypesCases; }

}  // namespace psi::testing
