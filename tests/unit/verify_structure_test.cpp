// Broken blocks, edges and phis.
#include "verify_cases.h"

namespace psi::testing {
namespace {

constexpr BrokenProgram kStructureCases[] = {
    {"block-empty", "func $f() {\n@a:\n  br @b\n@b:\n}"},
    {"block-terminator", "func $f(%a: i32) {\n@a:\n  %x = mov %a\n}"},
    {"block-terminator", "func $f(%p: i1) {\n@a:\n  %p ? ret\n}"},
    {"terminator-group", "func $f(%a: i32) {\n@a:\n  ret\n  ret\n}"},
    {"terminator-group", "func $f(%a: i32, %p: i1) {\n@a:\n  %p ? ret\n  %x = mov %a\n  ret\n}"},
    {"terminator-group", "func $f(%a: i32, %p: i1) {\n@a:\n  br @b\n  %p ? ret\n@b:\n  ret\n}"},
    {"entry-predecessors", "func $f() {\n@a:\n  br @a\n}"},
    {"entry-predecessors", "func $f(%p: i1) {\n@a:\n  br @b\n@b:\n  %p ? ret\n  br @a\n}"},
    {"entry-phi", "func $f(%a: i32) ssa {\n@a:\n  %x = phi [@b: %a]\n  br @b\n@b:\n  ret\n}"},
    {"merge-form", "func $f(%a: i32) {\n@a:\n  br @b\n@b:\n  %x = phi [@a: %a]\n  ret\n}"},
    {"merge-form", "func $f(%a: i32) {\n@a:\n  %x = psi %a\n  ret\n}"},
    {"merge-form", "func $f(%a: i32) allocated {\n@a:\n  %x = psi %a\n  ret\n}"},
    {"phi-first", "func $f(%a: i32) ssa {\n@a:\n  br @b\n@b:\n  %x = mov %a\n  %y = phi [@a: %a]\n  ret\n}"},
    {"phi-first", "func $f(%a: i32) ssa {\n@a:\n  br @b\n@b:\n  %x = psi %a\n  %y = phi [@a: %a]\n  ret\n}"},
    {"phi-predecessors", R"(
func $f(%a: i32, %p: i1) ssa {
@a:
  br %p, @b, @c
@b:
  br @c
@c:
  %x = phi [@a: %a]
  ret
})"},
    {"phi-predecessors", R"(
func $f(%a: i32, %p: i1) ssa {
@a:
  br %p, @b, @c
@b:
  br @c
@c:
  %x = phi [@a: %a], [@b: 1], [@a: %a]
  ret
})"},
    {"phi-predecessors", R"(
func $f(%a: i32, %p: i1) ssa {
@a:
  br @c
@b:
  ret
@c:
  %x = phi [@a: %a], [@b: 1]
  ret
})"},
    // Two edges from one block are one predecessor.
    {"phi-predecessors", R"(
func $f(%a: i32, %p: i1) ssa {
@a:
  br %p, @c, @c
@c:
  %x = phi [@a: %a], [@a: 1]
  ret
})"},
    // Nothing leads to @c.
    {"phi-predecessors", R"(
func $f(%a: i32) ssa {
@a:
  ret
@c:
  %x = phi [@a: %a]
  ret
})"},
};

}  // namespace

std::span<const BrokenProgram> broken_structure() { return kStructureCases; }

}  // namespace psi::testing
