#include "psi/target.h"

#include <gtest/gtest.h>

namespace psi {
namespace {

TEST(Target, IsFoundByName) {
  ASSERT_FALSE(targets().empty());
  EXPECT_EQ(targets().front().name, "generic");
  for (const Target& target : targets()) EXPECT_EQ(find_target(target.name), &target);
  EXPECT_EQ(find_target("pdp-11"), nullptr);
}

TEST(Target, KnowsItsAddresses) {
  const Target& generic = *find_target("generic");
  EXPECT_TRUE(generic.can_access(12, INT64_MIN, 1));

  const Target& x86 = *find_target("x86-64");
  EXPECT_TRUE(x86.can_access(8, INT32_MAX, 4));
  EXPECT_FALSE(x86.can_access(16, 0, 4));
  EXPECT_FALSE(x86.can_access(0, int64_t{INT32_MAX} + 1, 4));
  EXPECT_FALSE(x86.can_access(-4, 0, 4));

  // The offset counts in units of the access; an index goes alone.
  const Target& hexagon = *find_target("hexagon");
  EXPECT_TRUE(hexagon.can_access(0, 4092, 4));
  EXPECT_FALSE(hexagon.can_access(0, 4096, 4));
  EXPECT_TRUE(hexagon.can_access(0, -4096, 4));
  EXPECT_FALSE(hexagon.can_access(0, 2, 4));
  EXPECT_TRUE(hexagon.can_access(8, 0, 4));
  EXPECT_FALSE(hexagon.can_access(8, 4, 4));

  const Target& aarch64 = *find_target("aarch64");
  EXPECT_TRUE(aarch64.can_access(0, 32760, 8));
  EXPECT_FALSE(aarch64.can_access(0, 32768, 8));
  EXPECT_TRUE(aarch64.can_access(0, -256, 8));
  EXPECT_FALSE(aarch64.can_access(0, -257, 8));
  EXPECT_TRUE(aarch64.can_access(8, 0, 8));
  EXPECT_TRUE(aarch64.can_access(1, 0, 8));
  EXPECT_FALSE(aarch64.can_access(4, 0, 8));

  const Target& riscv = *find_target("riscv");
  EXPECT_TRUE(riscv.can_access(0, -2048, 4));
  EXPECT_FALSE(riscv.can_access(0, 2048, 4));
  EXPECT_FALSE(riscv.can_access(1, 0, 4));

  const Target& st200 = *find_target("st200");
  EXPECT_TRUE(st200.can_access(0, 255, 4));
  EXPECT_FALSE(st200.can_access(0, 256, 4));  // there is room for more, at a price

  EXPECT_TRUE(find_target("ia64")->can_access(0, 0, 8));
  EXPECT_FALSE(find_target("ia64")->can_access(0, 1, 8));
}

}  // namespace
}  // namespace psi
