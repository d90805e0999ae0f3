// Groups of passes that are repeated, pipelines by name, and remarks.
#include <gtest/gtest.h>

#include "parsing.h"
#include "psi/pipeline/pipeline.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::parse_or_die;

constexpr std::string_view kProgram = "func $f() -> i32 {\n@entry:\n  ret 5\n}\n";

// `down(to=N)` lowers the returned literal by one until it is N; `shed` removes a fiftieth of the entry
// block; `runs` counts.
PassTable counting_table() {
  PassTable table;
  auto down = [](PassContext& context) {
    context.counters.add("runs", 1);
    Function& function = context.function;
    InstId ret = function.insts(function.entry()).back();
    int64_t value = function.literal_signed(function.operands(ret)[0]);
    if (value <= context.arguments.number("to")) return;
    function.operands(ret)[0] = function.literal(Type::i32, value - 1);
    if (context.remarks) context.remarks->done(function, ret, "lowered");
  };
  auto flip = [](PassContext& context) {
    Function& function = context.function;
    InstId ret = function.insts(function.entry()).back();
    int64_t value = function.literal_signed(function.operands(ret)[0]);
    function.operands(ret)[0] = function.literal(Type::i32, -value);
    context.counters.add("runs", 1);
  };
  auto shed = [](PassContext& context) {
    Function& function = context.function;
    std::span<const InstId> insts = function.insts(function.entry());
    std::vector<InstId> rest(insts.begin() + static_cast<ptrdiff_t>(insts.size() / 50), insts.end());
    function.set_insts(function.entry(), rest);
    context.counters.add("runs", 1);
  };
  auto pass = [&](std::string name, std::function<void(PassContext&)> run) {
    table.add({.name = std::move(name),
               .summary = "",
               .needs = {Form::Plain},
               .makes = {},
               .keeps = Keeps::ControlFlow,
               .options = {PassOption::number("to", {0, 9, 0}, "the least value")},
               .after = {},
               .run = std::move(run)});
  };
  pass("down", down);
  pass("look", [](PassContext& context) { context.counters.add("runs", 1); });
  pass("flip", flip);
  pass("shed", shed);
  return table;
}

struct Ran {
  std::string text;
  std::vector<uint64_t> runs;
  PipelineResult result = PipelineReport();
};

Ran run(const PassTable& table, std::string_view list, bool remarks = false) {
  Result<PassList> passes = parse_passes(table, list);
  EXPECT_TRUE(passes) << passes.diagnostics().first_error();
  Module module = parse_or_die(kProgram);
  PipelineOptions options;
  options.remarks = remarks;
  Ran ran;
  ran.result = run_passes(module, *passes, options);
  ran.text = print(module);
  for (const PassReport& report : ran.result->passes) ran.runs.push_back(report.counters["runs"]);
  return ran;
}

TEST(Fixpoint, repeats_until_nothing_changes) {
  Ran ran = run(counting_table(), "fixpoint(down,look)");
  EXPECT_NE(ran.text.find("ret 0"), std::string::npos);
  // Five iterations change something, and then the first pass has no effect.
  EXPECT_EQ(ran.runs, (std::vector<uint64_t>{6, 5}));
}

TEST(Fixpoint, the_last_iteration_is_not_finished) {
  // The second pass changes something in iterations 1 and 2, and is the last to run in iteration 3.
  Ran ran = run(counting_table(), "fixpoint(look,down(to=3),look(to=3))");
  EXPECT_EQ(ran.runs, (std::vector<uint64_t>{3, 3, 2}));
}

TEST(Fixpoint, a_group_that_changes_nothing_runs_once) {
  Ran ran = run(counting_table(), "fixpoint(look,look(to=3)),look");
  EXPECT_EQ(ran.runs, (std::vector<uint64_t>{1, 1, 1}));
}

TEST(Fixpoint, a_pass_that_had_nothing_to_do_is_not_asked_again) {
  // In the second group it is asked when there is something new to see, twice.
  Ran ran = run(counting_table(), "fixpoint(look,look),fixpoint(look,down(to=3))");
  EXPECT_EQ(ran.runs, (std::vector<uint64_t>{1, 0, 2, 3}));
}

TEST(Fixpoint, ends_even_if_passes_never_agree) {
  Ran ran = run(counting_table(), "fixpoint(flip)");
  EXPECT_TRUE(ran.result);
  EXPECT_GE(ran.runs[0], 1u);
  EXPECT_LE(ran.runs[0], 20u);
}

// A function of so many instructions.
Module long_program(int insts) {
  std::string text = "func $f() -> i32 {\n@entry:\n";
  for (int i = 1; i < insts; ++i) text += "  %x = mov.i32 1\n";
  return parse_or_die(text + "  ret 9\n}\n");
}

uint64_t runs_on(Module& module, std::string_view list) {
  PassTable table = counting_table();
  Result<PassList> passes = parse_passes(table, list);
  EXPECT_TRUE(passes) << passes.diagnostics().first_error();
  return run_passes(module, *passes)->passes[0].counters["runs"];
}

TEST(Fixpoint, a_large_function_gets_no_iterations_that_hardly_make_it_smaller) {
  Module large = long_program(150'000);
  EXPECT_EQ(runs_on(large, "fixpoint(down)"), 2u);
  // Eleven iterations would leave more than 100,000, each a fiftieth less than the last.
  Module shrinking = long_program(150'000);
  EXPECT_EQ(runs_on(shrinking, "fixpoint(shed)"), 12u);
  Module small = long_program(1'000);
  EXPECT_EQ(runs_on(small, "fixpoint(down)"), 10u);
}

TEST(Fixpoint, what_is_left_of_a_function_is_moved_together) {
  Module module = long_program(20'000);
  const Function& function = module.function(module.declarations()[0]);
  std::string list = "fixpoint(shed),fixpoint(shed),fixpoint(shed)";
  runs_on(module, list);
  auto left = static_cast<uint32_t>(function.insts(function.entry()).size());
  EXPECT_LT(left, 10'000u);
  EXPECT_LT(function.num_insts(), 10'000u);
  EXPECT_EQ(print(module), print(long_program(static_cast<int>(left))));
}

TEST(Fixpoint, each_function_has_iterations_of_its_own) {
  PassTable table = counting_table();
  Result<PassList> passes = parse_passes(table, "fixpoint(down)");
  Module module =
      parse_or_die("func $f() -> i32 {\n@entry:\n  ret 2\n}\nfunc $g() -> i32 {\n@entry:\n  ret 0\n}\n");
  PipelineResult result = run_passes(module, *passes);
  // Of the first two that lower it and one that does not, of the second one.
  EXPECT_EQ(result->passes[0].counters["runs"], 3u + 1u);
}

TEST(Pipeline, stands_for_its_passes) {
  PassTable table = counting_table();
  table.add(Pipeline{"lower", "", {}, {{"look", "", "x"}, {"down", "", "x", PipelineStep::Repeat::Grouped}}});
  EXPECT_EQ(table.check().message(), "");
  EXPECT_EQ(run(table, "lower,look").runs.size(), 3u);
  EXPECT_EQ(parse_passes(table, "fixpoint(look,lower)").message(),
            "1:15: groups of passes do not nest, and 'lower' has one");
}

TEST(Pipeline, check_finds_what_is_wrong) {
  PassTable table = counting_table();
  table.add(Pipeline{"down", "", {}, {{"look", "", "x"}}});
  table.add(Pipeline{"again", "", {}, {{"again", "", "x"}}});
  EXPECT_EQ(table.check().diagnostics().num_errors(), 2u);
}

TEST(Fixpoint, errors_say_what_and_where) {
  PassTable table = counting_table();
  struct Bad {
    std::string_view text, message;
    uint32_t offset;
  };
  for (const Bad& bad :
       {Bad{"fixpoint", "expected '(' and the passes to repeat", 8},
        Bad{"fixpoint(look", "expected ',' or ')'", 13}, Bad{"fixpoint()", "expected the name of a pass", 9},
        Bad{"fixpoint(fixpoint(look))", "groups of passes do not nest", 9}}) {
    Result<PassList> passes = parse_passes(table, bad.text);
    ASSERT_FALSE(passes) << bad.text;
    const Diagnostic& error = passes.diagnostics().all()[0];
    EXPECT_EQ(error.message, bad.message) << bad.text;
    EXPECT_EQ(error.where.column, bad.offset + 1) << bad.text;
  }
}

TEST(Remarks, only_if_asked_for_and_each_once) {
  PassTable table = counting_table();
  EXPECT_TRUE(run(table, "fixpoint(down)").result->remarks.all().empty());
  Ran ran = run(table, "fixpoint(down)", true);
  EXPECT_EQ(ran.result->remarks.all().size(), 5u);
  EXPECT_EQ(remarks_as_text(*ran.result), "$f: ret: down: lowered\n");
  EXPECT_NE(remarks_as_json(*ran.result).find("\"kind\": \"done\""), std::string::npos);
}

}  // namespace
}  // namespace psi
