// Functions that are not of the form they claim.
#include "verify_cases.h"

namespace psi::testing {
namespace {

constexpr BrokenProgram kFormsCases[] = {
    {"web-argument", "func $f(%p: i1, %a: i32) conventional {\n@a:\n  %x = psi %a, %p ? 1\n  ret\n}"},
    {"web-argument", R"(
func $f(%p: i1) conventional {
@a:
  br @b
@b:
  %x = phi.i32 [@a: 1]
  ret
})"},
    // The lost copy: %x is read after the loop, but %y has been written by then.
    {"web-interference", R"(
func $f(%a: i32, %p: i1) -> i32 conventional {
@entry:
  br @loop
@loop:
  %x = phi [@entry: %a], [@loop: %y]
  %y = add.i32 %x, 1
  br %p, @loop, @done
@done:
  ret %x
})"},
    // The swap.
    {"web-interference", R"(
func $f(%a: i32, %b: i32, %p: i1) -> i32 conventional {
@entry:
  br @loop
@loop:
  %x = phi [@entry: %a], [@loop: %y]
  %y = phi [@entry: %b], [@loop: %x]
  br %p, @loop, @done
@done:
  ret %x
})"},
    // The value of the previous iteration is not that of this one.
    {"web-interference", R"(
func $f(%p: i1) -> i32 conventional {
@entry:
  br @loop
@loop:
  %x = phi.i32 [@entry: undef], [@loop: %y]
  %y = call.i32 $get()
  br %p, @loop, @done
@done:
  %z = sub.i32 %x, %y
  ret %z
}
extern func $get() -> i32)"},
    // An argument that stays live beyond the next one.
    {"web-interference", R"(
func $f(%a: i32, %p: i1) -> i32 conventional {
@entry:
  %x = add.i32 %a, 1
  %p ? %y = add.i32 %a, 2
  %z = psi %x, %p ? %y
  %s = add.i32 %x, %z
  ret %s
})"},
    // The same under a guard.
    {"web-interference", R"(
func $f(%a: i32, %p: i1) -> i32 conventional {
@entry:
  %x = add.i32 %a, 1
  %p ? %y = add.i32 %a, 2
  %z = psi %x, %p ? %y
  %p ? %s = mov %x
  %t = psi %z, %p ? %s
  ret %t
})"},
    // %y is written everywhere, but taken only under %p.
    {"web-interference", R"(
func $f(%a: i32, %p: i1) -> i32 conventional {
@entry:
  %x = add.i32 %a, 1
  %y = add.i32 %a, 2
  %z = psi %x, %p ? %y
  ret %z
})"},
    // The arguments are defined in the wrong order.
    {"web-interference", R"(
func $f(%a: i32, %p: i1) -> i32 conventional {
@entry:
  %p ? %y = add.i32 %a, 2
  %x = add.i32 %a, 1
  %z = psi %x, %p ? %y
  ret %z
})"},
    // Two parameters cannot come in one register.
    {"web-interference", R"(
func $f(%a: i32, %b: i32, %p: i1) -> i32 conventional {
@entry:
  br %p, @one, @two
@one:
  br @two
@two:
  %x = phi [@entry: %a], [@one: %b]
  ret %x
})"},
    {"packet-writes", "func $f(%a: i32) allocated {\n@a:\n  %x = mov %a\n  %x = mov.i32 1 ;;\n  ret ;;\n}"},
    {"packet-writes", R"(
func $f(%a: i32, %p: i1) allocated {
@a:
  %p ? %x = mov %a
  %p ? %x = mov.i32 1 ;;
  ret
})"},
    {"packet-writes", R"(
func $f(%a: i32, %p: i1) allocated {
@a:
  !%p ? %x = mov %a
  %x = mov.i32 1
  ret ;;
})"},
    // Parallel or and parallel and write different values.
    {"packet-writes", R"(
func $f(%a: i32) allocated {
@a:
  %p = mov.i1 false ;;
  %p = cmpp.on.lt.i32 %a, 1
  %p = cmpp.an.gt.i32 %a, 7 ;;
  ret
})"},
};

}  // namespace

std::span<const BrokenProgram> broken_forms() { return kFormsCases; }

}  // namespace psi::testing
