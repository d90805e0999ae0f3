#include <gtest/gtest.h>

#include "copy_models.h"
#include "psi/exact/copies.h"

namespace psi {
namespace {

using namespace testing;

TEST(ExactCopies, AreTheLeastOfAll) {
  int num_cut = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CopyModel model = random_copy_model(seed, 7);
    double least = least_of_all(model);
    std::optional<double> found = least_copies(model, 0);
    ASSERT_TRUE(found) << seed;
    EXPECT_NEAR(*found, least, 1e-9) << seed;
    EXPECT_NEAR(least_by_search(model), least, 1e-9) << seed;
    num_cut += least > 0;
  }
  EXPECT_GT(num_cut, 200);
}

// Beyond what can be enumerated.
TEST(ExactCopies, AgreeWithTheSearch) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CopyModel model = random_copy_model(seed, 20);
    std::optional<double> found = least_copies(model, 0);
    ASSERT_TRUE(found) << seed;
    EXPECT_NEAR(*found, least_by_search(model), 1e-9) << seed;
  }
}

TEST(ExactCopies, GiveUpAtTheirLimit) {
  CopyModel model = random_copy_model(2, 60);
  ASSERT_TRUE(least_copies(model));
  EXPECT_GT(*least_copies(model), 0);
  EXPECT_FALSE(least_copies(model, 1));
}

TEST(ExactCopies, AreNoneWithoutEdges) {
  EXPECT_EQ(least_copies({}, 1), 0);
  EXPECT_EQ(least_copies({.num_nodes = 2, .apart = {{0, 1}}, .edges = {}}, 1), 0);
}

}  // namespace
}  // namespace psi
