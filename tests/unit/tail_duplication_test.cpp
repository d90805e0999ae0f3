#include "predication/if_convert/tail_duplication.h"

#include <gtest/gtest.h>

#include "parsing.h"

namespace psi {
namespace {

// Control comes to @join eight times from the region of @entry and two times from @rare, whose slot keeps its
// branch.
constexpr std::string_view kCounted = R"(func $f(%p: i1, %q: i1, %out: ptr) -> i32 ssa {
@entry: count 10
  br %p, @then, @rare, counts 8 2
@then: count 8
  br @join
@rare: count 2
  %s = slot 8, align 8
  br @join
@join: count 10
  %v = phi.i32 [@then: 1], [@rare: 2]
  store.i32 %v, %out
  br %q, @a, @b, counts 5 5
@a: count 5
  ret 3
@b: count 5
  %w = phi.i32 [@join: %v]
  ret %w
}
)";

// The copy of @join is all that may be copied for the region of @entry; that of @rare gets copies of what
// follows.
TEST(TailDuplication, DividesCountsAsControlComes) {
  Module module = testing::parse_or_die(kCounted);
  Function& function = module.function(module.declarations()[0]);
  Analyses analyses(function);
  Counters counters;
  predication::duplicate_tails(function, analyses, *TargetTable::builtin().find("playdoh"),
                               {.insts = 2, .min_probability = 0, .may_grow = {}}, counters, nullptr);
  EXPECT_EQ(counters["blocks duplicated"], 3u);
  EXPECT_EQ(counters["instructions duplicated"], 4u);
  EXPECT_EQ(print(module, function), R"(func $f(%p: i1, %q: i1, %out: ptr) -> i32 ssa {
@entry: count 10
  br %p, @then, @rare, counts 8 2
@then: count 8
  br @join.6
@rare: count 2
  %s = slot 8, align 8
  br @join
@join: count 2
  %v = phi.i32 [@rare: 2]
  store.i32 %v, %out
  br %q, @a.8, @b.7, counts 1 1
@join.6: count 8
  %v.6 = phi.i32 [@then: 1]
  store.i32 %v.6, %out
  br %q, @a, @b, counts 4 4
@a: count 4
  ret 3
@a.8: count 1
  ret 3
@b: count 4
  %w = phi [@join.6: %v.6]
  ret %w
@b.7: count 1
  %w.7 = phi [@join: %v]
  ret %w.7
}
)");
}

}  // namespace
}  // namespace psi
