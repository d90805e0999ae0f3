// The order of passes: what a list must obey, pipelines as tables, and what -O1 and -O2 stand for.
#include <gtest/gtest.h>

#include "parsing.h"
#include "psi/pipeline/pipeline.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::parse_or_die;
using Repeat = PipelineStep::Repeat;

constexpr auto kRequired = PassOrdering::Kind::Required;

Pass pass_named(std::string name, std::vector<PassOrdering> after = {}) {
  Pass pass;
  pass.name = std::move(name);
  pass.needs = {Form::Plain};
  pass.options = {PassOption::number("size", {0, 9, 5}, ""), PassOption::target()};
  pass.after = std::move(after);
  pass.run = [](PassContext&) {};
  return pass;
}

// `last` must come after `first`, and had better come after `early`.
PassTable small_table() {
  PassTable table;
  table.add(pass_named("first"));
  table.add(pass_named("early"));
  table.add(pass_named("last", {{"first", "it clears up", kRequired}, {"early", "that is quicker"}}));
  Pass renew = pass_named("renew");
  renew.adds_guards = true;
  table.add(renew);
  return table;
}

std::string names_of(const PassList& passes) {
  std::string names;
  for (const PassCall& call : passes) names += (names.empty() ? "" : " ") + call.text;
  return names;
}

// The passes, or the first error.
std::string parsed(const PassTable& table, std::string_view list) {
  Result<PassList> passes = parse_passes(table, list);
  return passes ? names_of(*passes) : passes.diagnostics().first_error();
}

TEST(PassOrder, lists_obey_what_is_required) {
  PassTable table = small_table();
  const std::string error = "'first' must come before 'last': it clears up";
  for (std::string_view list : {"last,first", "first,last,first", "last,early,first", "renew,last,first",
                                "fixpoint(last,early),first"}) {
    EXPECT_EQ(parsed(table, list), error) << list;
  }
  // What is advised is not asked of them.
  for (std::string_view list : {"first,last", "last,early", "first,first", "last,renew,first",
                                "last,fixpoint(first)", "fixpoint(last,first)"}) {
    EXPECT_NE(parsed(table, list), error) << list;
  }
}

TEST(PassOrder, the_error_is_where_the_late_one_stands) {
  PassTable table = small_table();
  table.add(Pipeline{"both", "", {}, {{"last", "", "x"}, {"renew", "", "x"}, {"first", "", "x"}}});
  table.add(Pipeline{"late", "", {}, {{"first", "size=3", "x"}, {"early", "", "x"}}});
  for (auto [list, column, length] : {std::tuple("last, first(size=2),early", 7u, 13u),
                                      {"both,last,first", 11u, 5u},
                                      {"last,late,early", 6u, 4u}}) {
    Result<PassList> passes = parse_passes(table, list);
    ASSERT_FALSE(passes) << list;
    EXPECT_EQ(passes.diagnostics().all()[0].where.column, column) << list;
    EXPECT_EQ(passes.diagnostics().all()[0].where.length, length) << list;
  }
}

TEST(PassOrder, check_finds_orderings_with_a_cycle) {
  PassTable table;
  table.add(pass_named("a", {{"b", "x"}}));
  table.add(pass_named("b", {{"c", "x"}}));
  table.add(pass_named("c", {{"a", "x"}, {"d", "x"}}));
  table.add(pass_named("d"));
  EXPECT_EQ(table.check().message(), "the orderings of these have a cycle: a, b, c");
}

TEST(PassOrder, check_wants_orderings_obeyed_by_pipelines) {
  auto checked = [](std::vector<PipelineStep> steps) {
    PassTable table = small_table();
    table.add(Pipeline{"p", "", {}, std::move(steps)});
    return table.check().message();
  };
  EXPECT_EQ(checked({{"early", "", "x"}, {"first", "", "x"}, {"last", "", "x"}}), "");
  EXPECT_EQ(checked({{"last", "", "x"}, {"early", "", "x"}}),
            "pipeline 'p' has 'early' behind 'last': that is quicker");
  // The last ones count.
  EXPECT_EQ(checked({{"last", "", "x"}, {"early", "", "x"}, {"last", "", "x"}}), "");
  EXPECT_EQ(checked({{"last", "", "x", Repeat::Grouped}, {"early", "", "x", Repeat::Grouped}}),
            "pipeline 'p' has 'early' behind 'last': that is quicker");
  EXPECT_EQ(checked({{"last", "", "x"}, {"first", "", "x"}}),
            "pipeline 'p': 'first' must come before 'last': it clears up");
  EXPECT_EQ(checked({{"early", "", ""}}), "no reason for 'early' in pipeline 'p'");
  EXPECT_EQ(checked({{"nothing", "", "x"}}),
            "pipeline 'p': there is no pass 'nothing'; 'psic passes' lists them");
}

// --- Pipelines ------------------------------------------------------------------------------------------

TEST(Pipeline, forwards_its_options_where_they_are_given) {
  PassTable table = small_table();
  table.add(Pipeline{"inner", "", {PassOption::target()}, {{"early", "target", "x"}}});
  table.add(
      {"outer",
       "",
       {PassOption::target(), PassOption::number("size", {0, 9, 5}, ""), PassOption::flag("clean", true, "")},
       {{"first", "target,size", "x"},
        {"early", "size=2", "x", Repeat::Grouped},
        {"renew", "size", "x", Repeat::Grouped, "clean"},
        {"inner", "target", "x"},
        {"last", "", "x", Repeat::Once, "clean"}}});
  EXPECT_EQ(table.check().message(), "");
  EXPECT_EQ(parsed(table, "outer"), "first early(size=2) renew early last");
  EXPECT_EQ(parsed(table, "outer(size=5)"), "first early(size=2) renew early last");
  EXPECT_EQ(parsed(table, "outer(target=riscv,size=7)"),
            "first(target=riscv,size=7) early(size=2) renew(size=7) early(target=riscv) last");
  EXPECT_EQ(parsed(table, "outer(clean=off),first"), "first early(size=2) early first");
  EXPECT_EQ(parsed(table, "outer(sise=1)"), "pipeline 'outer' has no option 'sise' (did you mean 'size'?)");
  EXPECT_EQ(parsed(table, "fixpoint(outer)"), "groups of passes do not nest, and 'outer' has one");
  EXPECT_EQ(table.find_pipeline("outer")->passes(),
            "first(target,size),fixpoint(early(size=2),renew(size)),inner(target),last");
  Result<PassList> passes = parse_passes(table, "outer");
  EXPECT_TRUE((*passes)[1].opens && (*passes)[2].closes);
}

TEST(Pipeline, targets_may_have_any_name) {
  TargetTable targets = TargetTable::builtin();
  Target mine = *find_target("riscv");
  mine.name = "my (own), target";
  ASSERT_TRUE(targets.add(mine));
  PassTable table = small_table();
  table.add(Pipeline{"p", "", {PassOption::target()}, {{"first", "target", "x"}}});
  table.set_targets(targets);
  EXPECT_EQ(parsed(table, "p(target=\"my (own), target\")"), "first(target=\"my (own), target\")");
  table.set_targets(targets, "riscv");
  EXPECT_EQ(table.find_pipeline("p")->options[0].default_value(), "riscv");
  EXPECT_EQ(table.check().message(), "");
}

TEST(Pipeline, check_finds_options_that_no_step_has) {
  auto checked = [](std::vector<PassOption> options, PipelineStep step) {
    PassTable table = small_table();
    table.add(Pipeline{"p", "", std::move(options), {std::move(step)}});
    return table.check().message();
  };
  PassOption size = PassOption::number("size", {0, 9, 5}, ""),
             wide = PassOption::number("size", {0, 9, 6}, "");
  EXPECT_EQ(checked({size}, {"first", "size", "x"}), "");
  EXPECT_EQ(checked({}, {"first", "size", "x"}), "pipeline 'p' has no option 'size' like that of 'first'");
  EXPECT_EQ(checked({wide}, {"first", "size", "x"}),
            "pipeline 'p' has no option 'size' like that of 'first'");
  EXPECT_EQ(checked({size}, {"first", "", "x", Repeat::Once, "size"}), "pipeline 'p' has no flag 'size'");
  EXPECT_EQ(checked({size, size}, {"first", "", "x"}), "option 'size' of pipeline 'p' is listed twice");
}

TEST(Pipeline, psicc_leaves_out_what_others_would_undo) {
  const PassTable& table = PassTable::builtin();
  std::string late = parsed(table, "psicc(target=x86-64)");
  EXPECT_TRUE(
      late.starts_with("branch-selects(target=x86-64) split-conditions(target=x86-64) "
                       "if-convert(target=x86-64,size=1000,count=1000) "))
      << late;
  std::string early = parsed(table, "psicc(target=x86-64,mode=all,last=off)");
  EXPECT_EQ(early,
            "if-convert(target=x86-64,mode=all,size=1000,count=1000) join-exclusive psi-promote "
            "psi-lower(shape=decisions) redirect");
}

// --- Levels of optimisation -----------------------------------------------------------------------------

TEST(Optimisation, functions_in_plain_form_come_back) {
  const PassTable& table = PassTable::builtin();
  const std::string_view text =
      "func $plain(%a: i32) -> i32 {\n@e:\n  %b = mov.i32 %a\n  ret %b\n}\n\n"
      "func $ssa(%a: i32) -> i32 ssa {\n@e:\n  %b = mov.i32 %a\n  ret %b\n}\n";
  for (uint32_t level : {0u, 1u, 2u}) {
    for (bool leaves_ssa : {true, false}) {
      Module module = parse_or_die(text);
      Result<PassList> passes = optimisation_passes(table, {level, "", leaves_ssa});
      ASSERT_TRUE(passes);
      ASSERT_TRUE(run_passes(module, *passes));
      std::string after = print(module);
      bool has_moves = after.find("mov") != std::string::npos;
      EXPECT_EQ(has_moves, level == 0) << after;
      bool stays_plain = after.find("func $plain(%a: i32) -> i32 {") != std::string::npos;
      EXPECT_EQ(stays_plain, level == 0 || leaves_ssa) << after;
      EXPECT_NE(after.find("func $ssa(%a: i32) -> i32 ssa {"), std::string::npos) << after;
    }
  }
}

TEST(Optimisation, has_a_target) {
  const PassTable& table = PassTable::builtin();
  Result<PassList> passes = optimisation_passes(table, {2, "riscv", true});
  ASSERT_TRUE(passes);
  uint32_t with_target = 0;
  for (const PassCall& call : *passes) {
    for (const PassOption& option : call.pass->options) {
      if (option.kind != PassOption::Kind::Target) continue;
      EXPECT_EQ(call.arguments.target(), "riscv") << call.text;
      ++with_target;
    }
  }
  EXPECT_EQ(with_target, 3u);
  EXPECT_TRUE(optimisation_passes(table, {1, "riscv", true}));
  EXPECT_EQ(optimisation_passes(table, {1, "risc", true}).diagnostics().first_error().substr(0, 42),
            "'risc' is not a value of 'target' (did you");
  EXPECT_EQ(optimisation_passes(table, {7, "", true}).diagnostics().first_error().substr(0, 21),
            "there is no pass 'O7'");
}

}  // namespace
}  // namespace psi
