#include "psi/version.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace psi {
namespace {

TEST(Version, is_that_of_the_build) {
  EXPECT_EQ(kVersion, PSI_PROJECT_VERSION);
  EXPECT_EQ(kVersion, fmt::format("{}.{}.{}", PSI_VERSION_MAJOR, PSI_VERSION_MINOR, PSI_VERSION_PATCH));
}

TEST(Version, can_be_compared_by_the_preprocessor) {
#if PSI_VERSION >= PSI_MAKE_VERSION(PSI_VERSION_MAJOR, PSI_VERSION_MINOR, 0) && \
    PSI_VERSION < PSI_MAKE_VERSION(PSI_VERSION_MAJOR, PSI_VERSION_MINOR + 1, 0)
  SUCCEED();
#else
  FAIL() << PSI_VERSION;
#endif
}

}  // namespace
}  // namespace psi
