// Every rule is broken by some program, and a broken program is told which rule it breaks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "psi/text/text.h"
#include "psi/verify/verify.h"
#include "verify_cases.h"

namespace psi {
namespace {

using testing::BrokenProgram;

std::vector<BrokenProgram> all_broken() {
  std::vector<BrokenProgram> all;
  for (auto part : {testing::broken_globals(), testing::broken_records(), testing::broken_types(),
                    testing::broken_structure(), testing::broken_ssa(), testing::broken_forms()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::string rule_of(const std::string& message) {
  size_t open = message.rfind(" [");
  if (open == std::string::npos || message.back() != ']') return {};
  return message.substr(open + 2, message.size() - open - 3);
}

class Broken : public ::testing::TestWithParam<BrokenProgram> {};

TEST_P(Broken, IsReported) {
  const BrokenProgram& program = GetParam();
  Result<Module> module = parse(program.text);
  ASSERT_TRUE(module) << render(module, "test", program.text);
  if (program.edit) {
    Result<void> verified = verifies(*module);
    ASSERT_TRUE(verified) << render(verified, "test", {});
    program.edit(*module);
  }
  Result<void> verified = verifies(*module);
  EXPECT_FALSE(verified);
  ASSERT_FALSE(verified.diagnostics().all().empty());
  for (const Diagnostic& diagnostic : verified.diagnostics().all()) {
    if (diagnostic.severity != Diagnostic::Severity::Error) continue;
    const std::string& message = diagnostic.message;
    EXPECT_EQ(rule_of(message), program.rule) << message;
    EXPECT_FALSE(diagnostic.context.empty()) << message;
    EXPECT_FALSE(message.starts_with('[') || std::isupper(static_cast<unsigned char>(message[0]))) << message;
    EXPECT_EQ(message.find(". ["), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(Rule, Broken, ::testing::ValuesIn(all_broken()), [](const auto& param) {
  std::string name(param.param.rule);
  std::replace(name.begin(), name.end(), '-', '_');
  return fmt::format("{}_{}", name, param.index);
});

TEST(VerifyRules, EachIsBrokenBySomeProgram) {
  std::set<std::string_view> broken;
  for (const BrokenProgram& program : all_broken()) broken.insert(program.rule);
  for (const VerifyRule& rule : verify_rules()) {
    if (rule.name == "misuse") continue;  // not by text: builder_test.cpp breaks it
    EXPECT_TRUE(broken.contains(rule.name)) << rule.name << " has no program that breaks it";
  }
}

TEST(VerifyRules, HaveDistinctNamesAndATextEach) {
  std::set<std::string_view> names;
  for (const VerifyRule& rule : verify_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_EQ(rule.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos)
        << rule.name;
    EXPECT_FALSE(rule.text.empty() || rule.text.ends_with('.')) << rule.name;
  }
}

}  // namespace
}  // namespace psi
