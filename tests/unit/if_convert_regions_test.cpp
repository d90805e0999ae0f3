// Which blocks if-conversion takes together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "if_convert_testing.h"

namespace psi {
namespace {

using ::testing::ElementsAre;
using testing::kParallelOr;
using Region = testing::RegionBlocks;

constexpr const char* kCascade = R"(@a:
  br %p, @then, @b
@then:
  br @join
@b:
  br %q, @c, @d
@c:
  br @join
@d:
  br @join
@join:
  %v = phi.i32 [@then: 1], [@c: 2], [@d: 3]
  ret %v
)";

TEST(IfConvertRegions, ACascadeIsOneHammock) {
  Region blocks(kCascade);
  EXPECT_THAT(blocks.hammock("a"), ElementsAre("a", "then", "b", "c", "d"));
  EXPECT_THAT(blocks.hammock("b"), ElementsAre("b", "c", "d"));
}

TEST(IfConvertRegions, AHammockNeedNotBeStructured) {
  Region blocks(kParallelOr);
  EXPECT_THAT(blocks.hammock("a"), ElementsAre("a", "b", "c", "yes"));
  EXPECT_EQ(blocks.obstacle("b"), "its sides are entered from elsewhere, or leave for different places");
}

TEST(IfConvertRegions, ASwitch) {
  Region blocks(R"(@a:
  switch.i32 %x, @other, [1: @one], [2: @two], [3: @one]
@one:
  br @join
@two:
  br @join
@other:
  br @join
@join:
  ret %x
)");
  EXPECT_THAT(blocks.hammock("a"), ElementsAre("a", "one", "two", "other"));
}

TEST(IfConvertRegions, WhatReturnsOnAllSides) {
  Region blocks("@a:\n  br %p, @b, @c\n@b:\n  ret 1\n@c:\n  ret 2\n");
  EXPECT_THAT(blocks.hammock("a"), ElementsAre("a", "b", "c"));
}

// @next is where both `continue` and the rest of the body lead; @done leaves from the middle.
constexpr const char* kLoopWithExits = R"(@entry:
  br @head
@head:
  %i = phi.i32 [@entry: 0], [@next: %j]
  br %p, @next, @work
@work:
  br %q, @done, @more
@more:
  store.i32 %i, %out
  br @next
@next:
  %j = add.i32 %i, 1
  br %r, @head, @end
@done:
  ret 7
@end:
  ret 8
)";

TEST(IfConvertRegions, ALoopsBodyWithItsExits) {
  Region blocks(kLoopWithExits);
  EXPECT_THAT(blocks.hyperblocks(), ElementsAre(ElementsAre("head", "work", "more", "next", "done", "end")));
  EXPECT_EQ(blocks.obstacle("head"), "its sides are entered from elsewhere, or leave for different places");
}

TEST(IfConvertRegions, WhatIsRareStaysOutside) {
  Region blocks(R"(@a: count 100
  br %p, @rare, @often, counts 3 97
@rare: count 3
  br @join
@often: count 97
  br @join
@join: count 100
  ret %x
)");
  EXPECT_THAT(blocks.hyperblocks(0.1), ElementsAre(ElementsAre("a", "often")));
  EXPECT_THAT(blocks.hyperblocks(0.0), ElementsAre(ElementsAre("a", "rare", "often", "join")));
}

TEST(IfConvertRegions, ALoopInBetween) {
  Region blocks(R"(@a:
  br %p, @loop, @join
@loop:
  br %q, @loop, @join
@join:
  ret 0
)");
  EXPECT_EQ(blocks.obstacle("a"), "there is a loop before its sides meet");
}

// The store keeps its branch, and with it the outer one; the inner one does not matter to it.
TEST(IfConvertRegions, WhatTheMachineCannotGuard) {
  constexpr const char* body = R"(@a:
  br %p, @b, @join
@b:
  store.i32 %x, %out
  br %q, @c, @d
@c:
  br @join
@d:
  br @join
@join:
  ret 0
)";
  EXPECT_THAT(Region(body).hammock("a"), ElementsAre("a", "b", "c", "d"));
  Region blocks(body, "select");
  EXPECT_EQ(blocks.obstacle("a"), "store may not be executed always, and select cannot guard it");
  EXPECT_THAT(blocks.hammock("b"), ElementsAre("b", "c", "d"));
  EXPECT_THAT(blocks.hyperblocks(), ElementsAre(ElementsAre("b", "c", "d")));
}

TEST(IfConvertRegions, AWideSwitchStays) {
  auto cases = [](int count) {
    std::string text = "@a:\n  switch.i32 %x, @d";
    for (int i = 0; i < count; ++i) text += ", [" + std::to_string(i) + ": @c]";
    return text + "\n@c:\n  br @d\n@d:\n  ret 0\n";
  };
  EXPECT_THAT(Region(cases(1024)).hammock("a"), ElementsAre("a", "c"));
  Region blocks(cases(1025));
  EXPECT_EQ(blocks.obstacle("a"), "a switch of more than 1024 cases");
  EXPECT_TRUE(blocks.hyperblocks().empty());
}

}  // namespace
}  // namespace psi
