// After destruct(target=...) nothing is illegal, whatever was converted before.
#include "psi/legal/legal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "psi/pipeline/pipeline.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

PassList passes_for(std::string_view list) {
  Result<PassList> passes = parse_passes(PassTable::builtin(), list);
  EXPECT_TRUE(passes) << passes.message();
  return passes ? *passes : PassList();
}

std::string illegal_text(const Module& module, const Target& target) {
  std::string out;
  for (SymbolId symbol : module.declarations()) {
    if (module.kind(symbol) != SymbolKind::Function) continue;
    const Function& function = module.function(symbol);
    for (const IllegalInst& illegal : illegal_insts(module, function, target)) {
      out += fmt::format("${}: {}: {}\n", module.name(symbol), print(module, function, illegal.inst),
                         illegal.reason);
    }
  }
  return out;
}

class Legal : public ::testing::TestWithParam<std::string> {};

TEST_P(Legal, random_programs_become_legal) {
  const Target& target = *find_target(GetParam());
  for (std::string_view convert : {"", "if-convert(target={0},mode=all),", "predicated-ssa,",
                                   "if-convert(mode=all,regions=hyperblocks),addresses(target={0}),"}) {
    std::string list =
        fmt::format(fmt::runtime(fmt::format("construct,{}destruct(target={{0}})", convert)), target.name);
    PassList passes = passes_for(list);
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      unsigned pointer_bits = target.takes_pointers_of(64) ? 64 : 32;
      Module module = generate({.seed = seed, .size = 300, .pointer_bits = pointer_bits});
      PipelineResult result = run_passes(module, passes);
      ASSERT_TRUE(result) << result.message();
      Result<void> verified = verifies(module);
      EXPECT_TRUE(verified) << list << "\n" << verified.message();
      EXPECT_EQ(illegal_text(module, target), "") << list << " seed " << seed;
    }
  }
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const Target& target : targets()) names.push_back(target.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Targets, Legal, ::testing::ValuesIn(target_names()), test_name);

TEST(Legal, the_generic_target_executes_everything) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_EQ(illegal_text(generate({.seed = seed, .size = 300}), *find_target("generic")), "") << seed;
  }
}

}  // namespace
}  // namespace psi
