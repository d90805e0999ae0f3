// What the verifier must not hold against a psi: it reports only what is shown to be wrong.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "destruct_testing.h"
#include "parsing.h"

namespace psi {
namespace {

using testing::is_valid;
using testing::parse_or_die;

// Where %p is defined, and here it is, %f is true only where %p is.
TEST(PsiDomains, FrozenGuardsAreWhatWasFrozen) {
  EXPECT_TRUE(is_valid(parse_or_die(R"(func $f(%p: i1, %a: i32) -> i32 ssa {
@entry:
  %f = freeze.i1 %p
  %p ? %x = add.i32 %a, 1
  %y = psi %a, %f ? %x
  ret %y
}
)")));
}

// The same of a predicate that has nothing to do with it is wrong.
TEST(PsiDomains, OtherGuardsAreNot) {
  EXPECT_FALSE(is_valid(parse_or_die(R"(func $f(%p: i1, %q: i1, %a: i32) -> i32 ssa {
@entry:
  %f = freeze.i1 %p
  %p ? %x = add.i32 %a, 1
  %y = psi %a, %q ? %x
  ret %y
}
)")));
}

// %p is true only where %q is, from iteration to iteration, which a single iteration does not show.
TEST(PsiDomains, PhisOfLoopsAreWhatTheLoopMakesThem) {
  EXPECT_TRUE(is_valid(parse_or_die(R"(func $f(%a: i32, %n: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %q = phi.i1 [@entry: false], [@loop: %more]
  %p = phi.i1 [@entry: false], [@loop: %both]
  %i = phi [@entry: 0], [@loop: %next]
  %q ? %x = add.i32 %a, 1
  %y = psi %a, %p ? %x
  %next = add.i32 %i, 1
  %more = cmp.gt.i32 %next, %a
  %few = cmp.ult.i32 %next, 7
  %both = and.i1 %more, %few
  %again = cmp.lt.i32 %next, %n
  br %again, @loop, @exit
@exit:
  ret %y
}
)")));
}

// @join is entered in two places, from above and in a loop of its own, but from @loop only where %p is true.
TEST(PsiDomains, BackEdgesAreNotTaken) {
  EXPECT_TRUE(is_valid(parse_or_die(R"(func $f(%p: i1, %q: i1, %r: i1, %a: i32) -> i32 ssa {
@entry:
  br @loop
@loop:
  %both = and.i1 %p, %q
  %both ? %x = add.i32 %a, 1
  !%p ? br @loop
  br %r, @join, @other
@other:
  br @join
@join:
  %y = psi %a, %q ? %x
  %z = cmp.lt.i32 %y, 9
  br %z, @other, @exit
@exit:
  ret %y
}
)")));
}

// Two joins, one behind the other, and from @entry control comes to them only where %p is true.
TEST(PsiDomains, JoinsBehindJoins) {
  EXPECT_TRUE(is_valid(parse_or_die(R"(func $f(%p: i1, %q: i1, %r: i1, %s: i1, %a: i32) -> i32 ssa {
@entry:
  %both = and.i1 %p, %q
  %both ? %x = add.i32 %a, 1
  !%p ? br @exit
  %r ? br @join
  br %s, @inner, @other
@other:
  br @inner
@inner:
  br @join
@join:
  %y = psi %a, %q ? %x
  br @exit
@exit:
  %z = phi [@entry: %a], [@join: %y]
  ret %z
}
)")));
}

constexpr std::string_view kUndef = R"(func $f(%p: i1, %a: i32) -> i32 conventional {
@entry:
  %p ? %x = add.i32 %a, 1
  %y = psi undef, %p ? %x
  !%p ? %z = add.i32 %a, 2
  %w = psi %p ? %y, !%p ? %z
  %s = add.i32 %y, %w
  %t = select %p, %s, %w
  ret %t
}
)";

// %z is written only where %y is undef, so that nothing of it is lost.
TEST(PsiDomains, UndefNeedsNoKeeping) { EXPECT_TRUE(is_valid(parse_or_die(kUndef))); }

TEST(PsiDomains, ValuesDo) {
  std::string text(kUndef);
  text.replace(text.find("undef"), 5, "%b");
  text.insert(text.find("  %p ? %x"), "  %b = add.i32 %a, 3\n");
  EXPECT_FALSE(is_valid(parse_or_die(text)));
}

}  // namespace
}  // namespace psi
