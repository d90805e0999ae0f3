// Which blocks of a region share a predicate.
#include "predication/if_convert/control_classes.h"

#include <gtest/gtest.h>

#include "if_convert_testing.h"

namespace psi {
namespace {

using predication::ControlClasses;
using predication::Region;
using predication::RegionGraph;
using testing::RegionBlocks;

class Classes {
 public:
  Classes(const RegionBlocks& blocks, std::string_view branch)
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

TEST(ControlClasses, BlocksThatDependOnTheSameShareAPredicate) {
  RegionBlocks blocks(R"(@a:
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

TEST(ControlClasses, AParallelOrHasADecisionForEachEdge) {
  RegionBlocks blocks(testing::kParallelOr);
  Classes classes(blocks, "a");
  EXPECT_EQ(classes.num_decisions("yes"), 2u);
  EXPECT_EQ(classes.num_decisions("c"), 2u);
  EXPECT_NE(classes.of("yes"), classes.of("c"));
}

// After the sides of a branch have met, code depends on what it depended on before.
TEST(ControlClasses, BehindAJoinNothingIsDecided) {
  RegionBlocks blocks(R"(@a:
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
  Region all;
  for (BlockId b : blocks.function().layout()) all.blocks.push_back(b);
  RegionGraph graph(blocks.function(), all);
  EXPECT_EQ(ControlClasses(graph).of_node(2), ControlClasses::kAlways);
}

}  // namespace
}  // namespace psi
