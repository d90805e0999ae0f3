// Which blocks if-conversion takes together, and what their predicates are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "if_convert/control_classes.h"
#include "if_convert/hammocks.h"
#include "if_convert/hyperblocks.h"
#include "parsing.h"

namespace psi {
namespace {

using if_conversion::ControlClasses;
using if_conversion::Region;
using if_conversion::RegionGraph;
using ::testing::ElementsAre;

// A function, and what is asked about its regions. Blocks go by their names.
class Blocks {
 public:
  explicit Blocks(const std::string& body, std::string_view target = "playdoh")
      : function_(testing::parse_function(
            "func $f(%p: i1, %q: i1, %r: i1, %x: i32, %out: ptr) -> i32 ssa {\n" + body + "}\n")),
        analyses_(function_),
        legality_(function_, analyses_, *TargetTable::builtin().find(target)),
        hammocks_(function_, analyses_, legality_) {}

  BlockId block(std::string_view name) const { return find_block(function_, name); }
  std::string obstacle(std::string_view branch) const { return hammocks_.obstacle(block(branch)); }
  Region hammock_region(std::string_view branch) const { return hammocks_.region(block(branch)); }
  std::vector<std::string> hammock(std::string_view branch) const {
    EXPECT_EQ(obstacle(branch), "");
    return names(hammock_region(branch));
  }
  std::vector<std::vector<std::string>> hyperblocks(double min_share = 0) {
    std::vector<std::vector<std::string>> all;
    for (const Region& region : if_conversion::hyperblocks(function_, analyses_, legality_, min_share))
      all.push_back(names(region));
    return all;
  }
  const Function& function() const { return function_; }

 private:
  std::vector<std::string> names(const Region& region) const {
    std::vector<std::string> list;
    for (BlockId b : region.blocks) list.emplace_back(function_.name(b));
    return list;
  }

  Function function_;
  Analyses analyses_;
  if_conversion::Legality legality_;
  if_conversion::Hammocks hammocks_;
};

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
  Blocks blocks(kCascade);
  EXPECT_THAT(blocks.hammock("a"), ElementsAre("a", "then", "b", "c", "d"));
  EXPECT_THAT(blocks.hammock("b"), ElementsAre("b", "c", "d"));
}

// (p and q) or r.
constexpr const char* kParallelOr = R"(@a:
  br %p, @b, @c
@b:
  br %q, @yes, @c
@c:
  br %r, @yes, @join
@yes:
  store.i32 %x, %out
  br @join
@join:
  ret 0
)";

TEST(IfConvertRegions, AHammockNeedNotBeStructured) {
  Blocks blocks(kParallelOr);
  EXPECT_THAT(blocks.hammock("a"), ElementsAre("a", "b", "c", "yes"));
  EXPECT_EQ(blocks.obstacle("b"), "its sides are entered from elsewhere, or leave for different places");
}

TEST(IfConvertRegions, ASwitch) {
  Blocks blocks(R"(@a:
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
  Blocks blocks("@a:\n  br %p, @b, @c\n@b:\n  ret 1\n@c:\n  ret 2\n");
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
  Blocks blocks(kLoopWithExits);
  EXPECT_THAT(blocks.hyperblocks(), ElementsAre(ElementsAre("head", "work", "more", "next", "done", "end")));
  EXPECT_EQ(blocks.obstacle("head"), "its sides are entered from elsewhere, or leave for different places");
}

TEST(IfConvertRegions, WhatIsRareStaysOutside) {
  Blocks blocks(R"(@a: count 100
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

TEST(IfConvertRegions, ALoopInTheWay) {
  Blocks blocks(R"(@a:
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
  EXPECT_THAT(Blocks(body).hammock("a"), ElementsAre("a", "b", "c", "d"));
  Blocks blocks(body, "select");
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
  EXPECT_THAT(Blocks(cases(1024)).hammock("a"), ElementsAre("a", "c"));
  Blocks blocks(cases(1025));
  EXPECT_EQ(blocks.obstacle("a"), "a switch of more than 1024 cases");
  EXPECT_TRUE(blocks.hyperblocks().empty());
}

// --- Predicates -------------------------------------------------------------------------------------------

class Classes {
 public:
  Classes(const Blocks& blocks, std::string_view branch)
      : region_(blocks.hammock_region(branch)), graph_(blocks.function(), region_), classes_(graph_) {
    for (BlockId b : region_.blocks) names_.emplace_back(blocks.function().name(b));
  }
  uint32_t of(std::string_view name) const {
    for (uint32_t n = 0; n < names_.size(); ++n) {
      if (names_[n] == name) return classes_.of_node(n);
    }
    ADD_FAILURE() << "no block " << name;
    return 0;
  }
  size_t num_decisions(std::string_view name) const { return classes_.decisions(of(name)).size(); }

 private:
  Region region_;
  RegionGraph graph_;
  ControlClasses classes_;
  std::vector<std::string> names_;
};

TEST(IfConvertRegions, BlocksThatDependOnTheSameShareAPredicate) {
  Blocks blocks(R"(@a:
  br %p, @b, @join
@b:
  br %q, @c, @d
@c:
  br @e
@d:
  br @e
@e:
  br @f
@f:
  br @join
@join:
  ret 0
)");
  Classes classes(blocks, "a");
  EXPECT_EQ(classes.of("a"), ControlClasses::kAlways);
  EXPECT_EQ(classes.of("b"), classes.of("e"));
  EXPECT_EQ(classes.of("b"), classes.of("f"));
  EXPECT_NE(classes.of("b"), classes.of("c"));
  EXPECT_NE(classes.of("c"), classes.of("d"));
  EXPECT_EQ(classes.num_decisions("e"), 1u);
}

TEST(IfConvertRegions, AParallelOrHasADecisionForEachWay) {
  Blocks blocks(kParallelOr);
  Classes classes(blocks, "a");
  EXPECT_EQ(classes.num_decisions("yes"), 2u);
  EXPECT_EQ(classes.num_decisions("c"), 2u);
  EXPECT_NE(classes.of("yes"), classes.of("c"));
}

// After the sides of a branch have met, code depends on what it depended on before.
TEST(IfConvertRegions, BehindAJoinNothingIsDecided) {
  Blocks blocks(R"(@a:
  br %p, @b, @c
@b:
  br @c
@c:
  br %q, @d, @e
@d:
  ret 1
@e:
  ret 2
)");
  EXPECT_THAT(blocks.hyperblocks(), ElementsAre(ElementsAre("a", "b", "c", "d", "e")));
  Region all;
  for (BlockId b : blocks.function().layout()) all.blocks.push_back(b);
  RegionGraph graph(blocks.function(), all);
  EXPECT_EQ(ControlClasses(graph).of_node(2), ControlClasses::kAlways);
}

}  // namespace
}  // namespace psi
