// Passes: the table, lists, the scope around each run, and the first transformations.
#include "psi/pipeline/pipeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "parsing.h"
#include "psi/analysis/uses.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::parse_or_die;

PassList passes_or_die(const PassTable& table, std::string_view text) {
  Result<PassList> passes = parse_passes(table, text);
  EXPECT_TRUE(passes) << passes.diagnostics().first_error();
  return std::move(*passes);
}

// A table with passes that show what they were given.
PassTable table_for_tests() {
  PassTable table;
  table.add({.name = "count",
             .summary = "count instructions",
             .needs = {Form::Plain, Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::All,
             .options = {PassOption::word("by", {"one", "two"}, "how much an instruction counts"),
                         PassOption::flag("loud", false, ""), PassOption::number("times", {1, 12, 2}, "")},
             .after = {},
             .run = [](PassContext& context) {
               context.counters.add("instructions", context.function.num_insts() *
                                                        (context.arguments.word("by") == "two" ? 2 : 1));
             }});
  table.add({.name = "break",
             .summary = "leave a block without a terminator",
             .needs = {Form::Plain},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {{"count", "it must see whole functions", PassOrdering::Kind::Required}},
             .run = [](PassContext& context) { context.function.set_insts(context.function.entry(), {}); }});
  table.add({.name = "to-ssa",
             .summary = "say that it is SSA",
             .needs = {Form::Plain},
             .makes = Form::Ssa,
             .keeps = Keeps::All,
             .options = {},
             .after = {},
             .run = [](PassContext&) {}});
  return table;
}

constexpr std::string_view kTwo =
    "func $f() {\n@entry:\n  %x = mov.i32 1\n  ret\n}\n\nfunc $g() {\n@entry:\n  ret\n}\n";

TEST(PassTable, builtin_is_sound) {
  EXPECT_EQ(PassTable::builtin().check().message(), "");
  EXPECT_NE(PassTable::builtin().find("dce-unreachable"), nullptr);
  EXPECT_NE(PassTable::builtin().find("strip-names"), nullptr);
}

TEST(PassTable, check_finds_what_is_wrong) {
  PassTable table = table_for_tests();
  EXPECT_EQ(table.check().message(), "");
  table.add({.name = "count",
             .summary = "",
             .needs = {},
             .makes = {},
             .keeps = Keeps::All,
             .options = {PassOption::word("o", {}, "")},
             .after = {{"nothing", "why"}, {"to-ssa", ""}},
             .run = {}});
  EXPECT_EQ(table.check().diagnostics().num_errors(), 6u);
}

TEST(PassTable, check_finds_wrong_options) {
  PassTable table;
  table.add(
      {.name = "a",
       .summary = "",
       .needs = {Form::Plain},
       .makes = {},
       .keeps = Keeps::All,
       .options = {PassOption::word("none", {}, ""), PassOption::word("twice", {"x", "y", "x"}, ""),
                   PassOption::flag("same", true, ""), PassOption::number("same", {0, 1, 0}, ""),
                   PassOption::number("empty", {3, 2, 3}, ""), PassOption::number("low", {2, 4, 1}, ""),
                   PassOption::number("high", {2, 4, 5}, ""), PassOption::number("fine", {2, 2, 2}, "")},
       .after = {},
       .run = [](PassContext&) {}});
  EXPECT_EQ(table.check().message(),
            "option 'none' of pass 'a' has no values\n"
            "option 'twice' of pass 'a' has a value twice\n"
            "option 'same' of pass 'a' is listed twice\n"
            "option 'empty' of pass 'a' has an empty range\n"
            "option 'empty' of pass 'a' has a default outside its range\n"
            "option 'low' of pass 'a' has a default outside its range\n"
            "option 'high' of pass 'a' has a default outside its range");
}

TEST(PassList, options_and_defaults) {
  PassTable table = table_for_tests();
  PassList list = passes_or_die(table, " count ( by = two , loud=on, times = 12 ) , count,to-ssa()");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].arguments.word("by"), "two");
  EXPECT_TRUE(list[0].arguments.flag("loud"));
  EXPECT_EQ(list[0].arguments.number("times"), 12u);
  EXPECT_EQ(list[1].arguments.word("by"), "one");
  EXPECT_FALSE(list[1].arguments.flag("loud"));
  EXPECT_EQ(list[1].arguments.number("times"), 2u);
  EXPECT_EQ(list[2].pass->name, "to-ssa");
  EXPECT_TRUE(passes_or_die(table, "").empty());
}

struct BadList {
  std::string_view text;
  std::string_view message;
  size_t offset;
};

TEST(PassList, errors_say_what_and_where) {
  PassTable table = table_for_tests();
  for (const BadList& bad :
       {BadList{"count,nope", "there is no pass 'nope'; 'psic passes' lists them", 6},
        BadList{"count(by=three)", "'three' is not a value of 'by' (one, two)", 9},
        BadList{"count(loud=yes)", "'yes' is not a value of 'loud' (off, on)", 11},
        BadList{"count(times=13)", "'13' is not a value of 'times' (a number from 1 to 12)", 12},
        BadList{"count(times=0)", "'0' is not a value of 'times' (a number from 1 to 12)", 12},
        BadList{"count(times=many)", "'many' is not a value of 'times' (a number from 1 to 12)", 12},
        BadList{"count(times=3x)", "'3x' is not a value of 'times' (a number from 1 to 12)", 12},
        BadList{"count(times=99999999999)", "'99999999999' is not a value of 'times' (a number from 1 to 12)",
                12},
        BadList{"count(times=)", "'' is not a value of 'times' (a number from 1 to 12)", 12},
        BadList{"count(to=one)", "pass 'count' has no option 'to'", 6},
        BadList{"count(by)", "expected '=' and a value for 'by'", 8},
        BadList{"count(by=one", "expected ',' or ')'", 12},
        BadList{"count,", "expected the name of a pass", 6},
        BadList{"count to-ssa", "expected ',' or the end, found 't'", 6},
        BadList{"break,count", "'count' must come before 'break': it must see whole functions", 6}}) {
    Result<PassList> passes = parse_passes(table, bad.text);
    ASSERT_FALSE(passes) << bad.text;
    const Diagnostic& error = passes.diagnostics().all()[0];
    EXPECT_EQ(error.message, bad.message);
    EXPECT_EQ(error.where.column, bad.offset + 1) << bad.text;
  }
}

using PassArgumentsDeathTest = ::testing::Test;

TEST(PassArgumentsDeathTest, asking_for_what_is_not_there_ends_the_program) {
  PassArguments arguments({PassOption::flag("loud", false, "")});
  EXPECT_DEATH(static_cast<void>(arguments.flag("lout")), "the pass has no option 'lout'");
  EXPECT_DEATH(static_cast<void>(arguments.number("loud")), "option 'loud' is a flag, not a number");
}

TEST(PassScope, counts_over_all_functions) {
  PassTable table = table_for_tests();
  Module module = parse_or_die(kTwo);
  PipelineResult result = run_passes(module, passes_or_die(table, "count,count(by=two)"));
  EXPECT_TRUE(result);
  EXPECT_EQ(result->passes[0].counters["instructions"], 3u);
  EXPECT_EQ(result->passes[1].counters["instructions"], 6u);
  EXPECT_EQ(counters_as_text(*result),
            "           3 count: instructions\n           6 count(by=two): instructions\n");
  EXPECT_NE(counters_as_json(*result).find("\"pass\": \"count(by=two)\""), std::string::npos);
  EXPECT_NE(times_as_text(*result).find("total"), std::string::npos);
}

// Enough functions for many groups; some break a rule, so that the first of these must be named.
TEST(PassScope, gives_passes_their_machine) {
  TargetTable targets = TargetTable::builtin();
  Target mine = *find_target("riscv");
  mine.name = "mine";
  mine.issue_width = 7;
  ASSERT_TRUE(targets.add(mine));
  PassTable table;
  table.add({"width",
             "",
             {Form::Plain},
             std::nullopt,
             Keeps::All,
             {PassOption::target()},
             {},
             [](PassContext& context) { context.counters.add("width", context.target().issue_width); }});
  EXPECT_FALSE(parse_passes(table, "width(target=mine)"));
  table.set_targets(targets);
  PassList passes = passes_or_die(table, "width(target=mine)");
  Module module = parse_or_die("func $f() {\n@entry:\n  ret\n}\n");
  PipelineOptions options;
  options.targets = &targets;
  PipelineResult result = run_passes(module, passes, options);
  EXPECT_EQ(counters_as_text(*result), "           7 width(target=mine): width\n");
  // Without the table: the generic target, which allows everything.
  result = run_passes(module, passes);
  EXPECT_EQ(counters_as_text(*result), "           4 width(target=mine): width\n");
}

TEST(PassScope, threads_do_not_show) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += fmt::format("func $f{}(%a: i32) -> i32 {{\n@entry:\n  %x = mov %a\n", i);
    for (int k = 0; k < 40 + i % 7; ++k) text += fmt::format("  %x = add.i32 %x, {}\n", k);
    text += "  %c = cmp.lt.i32 %x, 0\n  br %c, @a, @b\n@a:\n  %x = mov 0\n  br @b\n@b:\n  ret %x\n}\n";
  }
  PassTable table = PassTable::builtin();
  table.add({"break-some", "", {Form::Ssa}, std::nullopt, Keeps::All, {}, {}, [](PassContext& context) {
               context.counters.add(context.function.symbol.index() < 200 ? "early" : "late", 1);
               if (context.function.symbol.index() % 100 == 99) context.function.form = Form::Plain;
             }});
  for (std::string_view list : {"construct", "construct,break-some,break-some"}) {
    std::string expected_text, expected_counters, expected_message;
    for (uint32_t threads : {1u, 2u, 8u, 0u}) {
      Module module = parse_or_die(text);
      PipelineOptions options;
      options.threads = threads;
      PipelineResult result = run_passes(module, passes_or_die(table, list), options);
      bool breaks = list != "construct";
      EXPECT_EQ(!result, breaks);
      if (threads == 1) {
        expected_text = print(module);
        if (result) expected_counters = counters_as_json(*result);
        expected_message = result.message();
        continue;
      }
      // What was done to functions after the one that failed is nobody's business.
      if (!breaks) {
        EXPECT_EQ(print(module), expected_text);
        EXPECT_EQ(counters_as_json(*result), expected_counters);
      }
      EXPECT_EQ(result.message(), expected_message);
    }
  }
}

TEST(PassScope, says_which_pass_broke_what) {
  PassTable table = table_for_tests();
  Module module = parse_or_die(kTwo);
  PipelineOptions options;
  options.verify_each = true;
  PipelineResult result = run_passes(module, passes_or_die(table, "count,break"), options);
  ASSERT_FALSE(result);
  const PassFailure& failure = result.diagnostics();
  EXPECT_EQ(failure.kind, PassFailure::Kind::Broken);
  EXPECT_EQ(failure.pass, "break");
  EXPECT_EQ(failure.first_error(), "pass 'break' broke $f");
  EXPECT_EQ(failure.text_before, "func $f() {\n@entry:\n  %x = mov.i32 1\n  ret\n}\n");
  EXPECT_TRUE(failure.broken.has_errors());
}

TEST(PassScope, says_which_pass_kept_less_than_it_says) {
  PassTable table;
  auto leave_early = [](PassContext& context) {
    Function& function = context.function;
    InstId last = function.insts(function.layout().back()).back();
    function.set_insts(function.entry(), std::array{last});
  };
  auto negate = [](PassContext& context) {
    Function& function = context.function;
    function.inst(function.insts(function.entry())[0]).type = Type::i64;
  };
  auto add = [&](std::string name, Keeps keeps, std::function<void(PassContext&)> run) {
    table.add({.name = std::move(name),
               .summary = "",
               .needs = {Form::Plain},
               .makes = {},
               .keeps = keeps,
               .options = {},
               .after = {},
               .run = std::move(run)});
  };
  add("leave", Keeps::Nothing, leave_early);
  add("leave-quietly", Keeps::ControlFlow, leave_early);
  add("widen", Keeps::ControlFlow, negate);
  add("widen-quietly", Keeps::All, negate);
  const std::string_view text = "func $f() {\n@a:\n  %x = mov.i32 1\n  br @b\n@b:\n  ret\n}\n";
  PipelineOptions options;
  options.verify_each = true;
  for (auto [pass, why] :
       {std::pair("leave", ""),
        {"widen", "is not"},
        {"leave-quietly", "control flow has changed, which the pass says it keeps"},
        {"widen-quietly", "instructions have changed, though the pass says it keeps all"}}) {
    Module module = parse_or_die(text);
    PipelineResult result = run_passes(module, passes_or_die(table, pass), options);
    bool is_quiet = std::string_view(pass).ends_with("quietly");
    EXPECT_EQ(result.message().find("says it keeps") != std::string::npos, is_quiet) << result.message();
    EXPECT_TRUE(!is_quiet || result.message().find(why) != std::string::npos) << result.message();
  }
}

// An analysis that was made before the last change, and not dropped.
TEST(PassScope, says_which_analysis_a_pass_left_outdated) {
  PassTable table;
  for (bool drops : {false, true}) {
    table.add({.name = drops ? "careful" : "careless",
               .summary = "",
               .needs = {Form::Plain},
               .makes = {},
               .keeps = Keeps::ControlFlow,
               .options = {},
               .after = {},
               .run = [drops](PassContext& context) {
                 Function& function = context.function;
                 BlockId b = function.entry();
                 std::vector<InstId> all(function.insts(b).begin(), function.insts(b).end());
                 function.set_insts(b, std::span(all).subspan(1));
                 context.analyses.get<Uses>();
                 function.set_insts(b, all);
                 if (drops) context.analyses.drop(Keeps::ControlFlow);
               }});
  }
  PipelineOptions options;
  options.verify_each = true;
  Module module = parse_or_die("func $f() {\n@a:\n  %x = mov.i32 1\n  ret\n}\n");
  EXPECT_TRUE(run_passes(module, passes_or_die(table, "careful,careful"), options));
  PipelineResult result = run_passes(module, passes_or_die(table, "careless,careless"), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.message(), "pass 'careless' left psi::Uses of $f as it no longer is");
}

TEST(PassScope, refuses_the_wrong_form) {
  PassTable table = table_for_tests();
  Module module = parse_or_die(kTwo);
  PipelineResult result = run_passes(module, passes_or_die(table, "to-ssa,break"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().kind, PassFailure::Kind::WrongForm);
  EXPECT_EQ(result.message(), "pass 'break' needs plain form, but $f is in ssa form");
}

TEST(PassScope, dumps_before_and_after) {
  PassTable table = table_for_tests();
  Module module = parse_or_die("func $f() {\n@entry:\n  ret\n}\n");
  std::string dumped;
  PipelineOptions options;
  options.print_before = {"count"};
  options.print_after = {"all"};
  options.dump = [&](std::string_view text) { dumped += text; };
  EXPECT_TRUE(run_passes(module, passes_or_die(table, "count,to-ssa"), options));
  EXPECT_EQ(dumped,
            "# before count on $f\nfunc $f() {\n@entry:\n  ret\n}\n"
            "# after count on $f\nfunc $f() {\n@entry:\n  ret\n}\n"
            "# after to-ssa on $f\nfunc $f() ssa {\n@entry:\n  ret\n}\n");
}

std::string run_builtin(std::string_view passes, std::string_view text) {
  Module module = parse_or_die(text);
  PipelineOptions options;
  options.verify_each = true;
  PipelineResult result = run_passes(module, passes_or_die(PassTable::builtin(), passes), options);
  EXPECT_TRUE(result) << result.message();
  return print(module);
}

TEST(DceUnreachable, removes_blocks_and_phi_arguments) {
  EXPECT_EQ(
      run_builtin(
          "dce-unreachable",
          "func $f(%a: i32) -> i32 ssa {\n@entry:\n  br @join\n@dead:\n  %b = add.i32 %a, 1\n  br @join\n"
          "@join:\n  %x = phi [@entry: %a], [@dead: %b]\n  ret %x\n@loop:\n  br @loop\n}\n"),
      "func $f(%a: i32) -> i32 ssa {\n@entry:\n  br @join\n@join:\n  %x = phi [@entry: %a]\n  ret %x\n}\n");
}

TEST(DceUnreachable, defines_registers_that_lost_their_definition) {
  EXPECT_EQ(run_builtin("dce-unreachable",
                        "func $f(%p: i1) {\n@entry:\n  br %p, @use, @exit\n@dead:\n  %b = mov.i32 1\n  %q = "
                        "mov.i1 true\n  br @exit\n"
                        "@use:\n  %c = add.i32 %b, 1\n  %q ? %c = mov.i32 0\n  br @exit\n@exit:\n  ret\n}\n"),
            "func $f(%p: i1) {\n@entry:\n  %b = mov.i32 undef\n  %q = mov.i1 undef\n  br %p, @use, @exit\n"
            "@use:\n  %c = add.i32 %b, 1\n  %q ? %c = mov.i32 0\n  br @exit\n@exit:\n  ret\n}\n");
}

TEST(StripNames, leaves_numbers) {
  EXPECT_EQ(
      run_builtin("strip-names", "func $f(%a: i32) -> i32 {\n@entry:\n  %b = add.i32 %a, 1\n  ret %b\n}\n"),
      "func $f(%0: i32) -> i32 {\n@0:\n  %1 = add.i32 %0, 1\n  ret %1\n}\n");
}

}  // namespace
}  // namespace psi
