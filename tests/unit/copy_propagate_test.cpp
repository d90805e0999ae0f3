#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pass_testing.h"
#include "psi/optimise/propagate.h"

namespace psi {
namespace {

using ::testing::HasSubstr;
using testing::parse_or_die;
using testing::RunOnFunction;
using testing::run_pass;

TEST(CopyPropagate, SaysWhatItLeaves) {
  Module module = parse_or_die(R"(
func $f(%p: i1, %q: i1, %a: i32) -> i32 ssa {
@entry:
  %p ? %b = add.i32 %a, 1
  %c = mov %b
  %x = psi %a, %q ? %c
  ret %x
}
)");
  RunOnFunction run = run_pass(module, "copy-propagate", "f");
  EXPECT_THAT(run.text, HasSubstr("%q ? %c"));
  ASSERT_EQ(run.remarks.all().size(), 1u);
  EXPECT_EQ(run.remarks.all()[0].kind, Remark::Kind::Refused);
  EXPECT_EQ(run.remarks.all()[0].subject, "%c");
}

// A cycle of 100,000 phis with one value from outside.
TEST(CopyPropagate, TakesLargeCycles) {
  constexpr int kPhis = 100000;
  std::string text = "func $f(%a: i32, %p: i1) -> i32 ssa {\n@entry:\n  br @loop\n@loop:\n";
  for (int i = 0; i < kPhis; ++i) {
    text += fmt::format("  %x{} = phi [@entry: %a], [@loop: %x{}]\n", i, (i + 1) % kPhis);
  }
  Module module = parse_or_die(text + "  br %p, @loop, @exit\n@exit:\n  ret %x5\n}\n");
  RunOnFunction run = run_pass(module, "copy-propagate", "f");
  EXPECT_EQ(run.counters["phis of one value removed"], uint64_t{kPhis});
  EXPECT_THAT(run.text, HasSubstr("ret %a"));
}

}  // namespace
}  // namespace psi
