#include "optimise/algebra/rules.h"

#include <gtest/gtest.h>

#include <set>

#include "iterations.h"
#include "optimise/algebra/rules_match.h"
#include "psi/text/text.h"
#include "rule_instances.h"

namespace psi {
namespace {

using optimise::KnownBits;
using optimise::Rule;
using optimise::RuleMatcher;
using optimise::Rules;
using optimise::SimplifyGraph;
using testing::RuleInstance;
using testing::StraightRun;

// Applies one rule to the root of a function; false if it does not apply.
bool apply(const Rule& rule, Function& function, InstId root) {
  Analyses analyses(function);
  SimplifyGraph graph(function, analyses);
  KnownBits known(function);
  for (InstId id : function.insts(function.entry())) known.update(id);
  RuleMatcher matcher(graph, known);
  if (!matcher.apply(rule, root)) return false;
  Counters counters;
  graph.finish(analyses, counters);
  return true;
}

// Calls visit(arguments) for the crossed values of all parameters: all that there are where that is not too
// many.
template <class Visit>
void for_each_arguments(const Function& function, Visit visit) {
  std::vector<std::vector<uint64_t>> values;
  uint64_t total = 1;
  for (Reg param : function.params) {
    unsigned width = function.bit_width(function.type(param));
    total *= width <= 8 ? uint64_t{1} << width : 26;
  }
  for (Reg param : function.params) {
    Type type = function.as_bits(function.type(param));
    if (bit_width(type) <= 8 && total <= testing::iterations(70'000u)) {
      values.emplace_back();
      for (uint64_t bits = 0; bits <= value_mask(type); ++bits) values.back().push_back(bits);
    } else {
      values.push_back(testing::interesting_values(type));
    }
  }
  std::vector<size_t> at(values.size());
  std::vector<uint64_t> arguments(values.size());
  for (uint64_t iteration = 0;; ++iteration) {
    for (size_t i = 0; i < at.size(); ++i) arguments[i] = values[i][at[i]];
    // Under sanitizers, some of them.
    if (iteration % testing::kSlowdown == 0) visit(arguments);
    size_t i = 0;
    while (i < at.size() && ++at[i] == values[i].size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

std::string shown(const Function& function) {
  Module module;
  module.set_pointer_bits(function.pointer_bits);
  SymbolId symbol = module.intern_symbol("f");
  Function& copy = module.add_function(symbol);
  copy = function;
  copy.symbol = symbol;
  return print(module);
}

TEST(Rules, AreWellFormed) {
  for (const std::string& error : Rules::all().errors()) ADD_FAILURE() << error;
  std::set<std::string_view> names;
  uint32_t number = UINT32_MAX;
  for (const Rule& rule : Rules::all().each()) {
    if (rule.number != number) {
      EXPECT_TRUE(names.insert(rule.name).second) << rule.name << " is there twice";
    }
    number = rule.number;
  }
  EXPECT_GT(names.size(), 200u);
}

// Each rule applies to what its pattern says, and what it makes of it has the same value wherever that is
// defined.
class RulesWithPointers : public ::testing::TestWithParam<unsigned> {};

TEST_P(RulesWithPointers, KeepValues) {
  for (const Rule& rule : Rules::all().each()) {
    Random random(rule.number);
    uint32_t applied = 0;
    for (uint32_t tries = 0; applied < 8 && tries < 60000; ++tries) {
      RuleInstance instance(rule, random, static_cast<uint8_t>(GetParam()));
      if (!instance.build()) continue;
      Function after = instance.function;
      if (!apply(rule, after, instance.root)) continue;
      ++applied;
      EXPECT_LE(after.insts(after.entry()).size(), instance.function.insts(instance.function.entry()).size())
          << rule.name;
      bool failed = false;
      StraightRun run_before(instance.function), run_after(after);
      for_each_arguments(instance.function, [&](const std::vector<uint64_t>& arguments) {
        std::optional<Value> expected = run_before(arguments);
        if (!expected || expected->undef || failed) return;
        failed = run_after(arguments) != expected;
        EXPECT_FALSE(failed) << rule.name << "\n"
                             << shown(instance.function) << shown(after)
                             << ::testing::PrintToString(arguments);
      });
    }
    EXPECT_GT(applied, 0u) << rule.name << ": " << rule.text->pattern << " never applied";
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, RulesWithPointers, ::testing::Values(64u, 32u),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace psi
