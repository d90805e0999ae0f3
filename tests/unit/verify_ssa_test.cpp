// Broken definitions, uses and psis.
#include "verify_cases.h"

namespace psi::testing {
namespace {

constexpr BrokenProgram kSsaCases[] = {
    {"use-defined", "func $f(%a: i32) -> i32 {\n@a:\n  %x = mov %a\n  ret %x\n}",
     [](Module& m) { f(m).set_insts(BlockId(0), std::array{nth(f(m), 1)}); }},
    {"use-defined", "func $f(%a: i32) -> i32 ssa {\n@a:\n  %x = mov %a\n  ret %x\n}",
     [](Module& m) { f(m).set_insts(BlockId(0), std::array{nth(f(m), 1)}); }},
    {"use-defined",
     "func $f(%a: i32) -> i32 allocated {\n@a:\n  %p = mov.i1 true\n  %p ? ret %a\n  ret %a\n}",
     [](Module& m) { f(m).set_insts(BlockId(0), std::array{nth(f(m), 1), nth(f(m), 2)}); }},
    {"single-definition", "func $f(%a: i32) ssa {\n@a:\n  %x = mov %a\n  %x = mov 1\n  ret\n}"},
    {"single-definition", "func $f(%a: i32) conventional {\n@a:\n  %a = mov.i32 1\n  ret\n}"},
    {"single-definition", R"(
func $f(%a: i32) ssa {
@a:
  ret
@unreachable:
  %x = mov %a
  %x = mov %a
  ret
})"},
    {"dominance", "func $f() ssa {\n@a:\n  %x = add.i32 %y, 1\n  %y = mov.i32 1\n  ret\n}"},
    {"dominance", "func $f() ssa {\n@a:\n  %x = add.i32 %x, 1\n  ret\n}"},
    {"dominance", "func $f() ssa {\n@a:\n  %q ? %x = mov.i32 1\n  %q = mov.i1 true\n  ret\n}"},
    {"dominance", R"(
func $f(%p: i1) -> i32 ssa {
@a:
  br %p, @b, @c
@b:
  %x = mov.i32 1
  br @c
@c:
  ret %x
})"},
    {"dominance", R"(
func $f(%p: i1) ssa {
@a:
  br %p, @b, @c
@b:
  %q = mov.i1 true
  br @c
@c:
  %q ? ret
  ret
})"},
    {"dominance", R"(
func $f(%p: i1) ssa {
@a:
  br %p, @b, @c
@b:
  %x = mov.i32 1
  br @c
@c:
  %y = phi [@a: %x], [@b: %x]
  ret
})"},
    // A phi does not see the phi before it: both read at the end of the predecessor.
    {"dominance", R"(
func $f(%p: i1) ssa {
@a:
  br @c
@c:
  %x = phi.i32 [@a: 1]
  %y = phi [@a: %x]
  ret
})"},
    {"dominance", R"(
func $f(%p: i1) ssa {
@a:
  br @c
@b:
  %x = mov.i32 1
  br @c
@c:
  %y = add.i32 %x, 1
  ret
})"},
    {"dominance", R"(
func $f(%p: i1, %a: i32) ssa {
@a:
  %x = psi %a, %q ? %a
  %q = not.i1 %p
  ret
})"},

    // The guard is the complement of the value's.
    {"psi-domain", R"(
func $f(%p: i1, %a: i32) ssa {
@a:
  %p ? %x = mov %a
  %y = psi %a, !%p ? %x
  ret
})"},
    // The guard is always.
    {"psi-domain", R"(
func $f(%p: i1, %a: i32) ssa {
@a:
  !%p ? %x = mov %a
  %y = psi %a, %x
  ret
})"},
    // Through a psi: %y is defined under %p only, its first argument's guard being wider.
    {"psi-domain", R"(
func $f(%p: i1, %a: i32) ssa {
@a:
  %p ? %x = mov %a
  %y = psi %x
  %z = psi %a, %y
  ret
})"},
    {"psi-domain", R"(
func $f(%p: i1, %q: i1, %a: i32) ssa {
@a:
  %p ? %x = mov %a
  %p ? %w = mov %a
  %y = psi %p ? %x, %p ? %w
  %z = psi %a, !%p ? %y
  ret
})"},
    // Defined nowhere: both arguments are, but not where they are taken.
    {"psi-domain", R"(
func $f(%p: i1, %q: i1, %a: i32) ssa {
@a:
  %p ? %x = mov %a
  %y = psi !%p ? %x
  %z = psi %a, %q ? %y
  ret
})"},
};

}  // namespace

std::span<const BrokenProgram> broken_ssa() { return kSsaCases; }

}  // namespace psi::testing
