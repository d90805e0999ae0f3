#include "psi/testing/fuzz.h"

#include <gtest/gtest.h>

#include <string>

#include "psi/testing/reduce.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"

namespace psi {
namespace {

// A table of one pass, and the list that calls it.
struct OnePass {
  PassTable table;
  PassList list;

  explicit OnePass(std::function<void(PassContext&)> run) {
    Pass pass;
    pass.name = "test-pass";
    pass.summary = "a pass of the test";
    pass.needs = {Form::Plain};
    pass.run = std::move(run);
    table.add(std::move(pass));
    list = *parse_passes(table, "test-pass");
  }
};

template <class Edit>
void for_each_inst(Function& function, Edit edit) {
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) edit(id);
  }
}

// Runs the fuzzer and checks what holds for any failure that it finds in a wrong pass.
FuzzFailure find_and_reduce(const OnePass& wrong, FuzzFailure::Kind kind, uint64_t most_instructions) {
  FuzzOptions options;
  options.count = 300;
  FuzzReport report = fuzz(wrong.list, options);
  EXPECT_EQ(report.failures.size(), 1u);
  if (report.failures.empty()) return {};
  FuzzFailure failure = report.failures[0];
  EXPECT_EQ(kind_name(failure.kind), kind_name(kind)) << failure.why;
  EXPECT_FALSE(failure.why.empty());
  EXPECT_EQ(failure.original, print(generate(failure.program)));
  EXPECT_LE(failure.reduced_size, most_instructions) << failure.reduced << failure.reduced_why;

  // The reduced program still fails.
  Result<Module> module = parse(failure.reduced);
  EXPECT_TRUE(module && verifies(*module).ok()) << failure.reduced;
  if (!module) return failure;
  EXPECT_EQ(count_instructions(*module), failure.reduced_size);
  FuzzReport again;
  std::optional<FuzzFailure> found = fuzz_module(*module, wrong.list, 1, options, again);
  EXPECT_EQ(found ? kind_name(found->kind) : "nothing", kind_name(kind)) << failure.reduced;
  return failure;
}

TEST(Fuzz, NothingWrongWithoutPasses) {
  FuzzOptions options;
  options.count = 300;
  FuzzReport report = fuzz({}, options);
  ASSERT_TRUE(report.failures.empty()) << report.failures[0].why << "\n" << report.failures[0].reduced;
  EXPECT_EQ(report.programs, 300u);
  EXPECT_GE(report.runs, 300u);
  EXPECT_GT(report.steps, report.instructions);
  EXPECT_EQ(report.skipped, 0u);
}

TEST(Fuzz, NothingWrongWithBuiltinPasses) {
  Result<PassList> passes = parse_passes(PassTable::builtin(), "dce-unreachable,strip-names");
  ASSERT_TRUE(passes) << passes.diagnostics().first_error();
  FuzzOptions options;
  options.seed = 2;
  options.count = 300;
  FuzzReport report = fuzz(*passes, options);
  ASSERT_TRUE(report.failures.empty()) << report.failures[0].why << "\n" << report.failures[0].reduced;
}

TEST(Fuzz, FindsExchangedOperands) {
  OnePass wrong([](PassContext& context) {
    for_each_inst(context.function, [&](InstId id) {
      std::span<Operand> operands = context.function.operands(id);
      if (context.function.inst(id).op == Opcode::Sub) std::swap(operands[0], operands[1]);
    });
  });
  FuzzFailure failure = find_and_reduce(wrong, FuzzFailure::Kind::Mismatch, 4);
  EXPECT_NE(failure.reduced.find("sub"), std::string::npos);
}

TEST(Fuzz, FindsDroppedGuards) {
  OnePass wrong([](PassContext& context) {
    for_each_inst(context.function, [&](InstId id) {
      Inst& inst = context.function.inst(id);
      if (!inst.is_terminator()) inst.guard = Guard();
    });
  });
  FuzzFailure failure = find_and_reduce(wrong, FuzzFailure::Kind::Mismatch, 6);
  EXPECT_NE(failure.reduced.find(" ? "), std::string::npos);
}

TEST(Fuzz, FindsUnconditionalCmpp) {
  OnePass wrong([](PassContext& context) {
    for_each_inst(context.function, [&](InstId id) {
      Inst& inst = context.function.inst(id);
      if (inst.op != Opcode::Cmpp) return;
      Action first = inst.action(0) == Action::on ? Action::un : inst.action(0);
      inst.set_actions(first, inst.action(1));
    });
  });
  FuzzFailure failure = find_and_reduce(wrong, FuzzFailure::Kind::Mismatch, 12);
  EXPECT_NE(failure.reduced.find("cmpp.on"), std::string::npos);
}

TEST(Fuzz, FindsLostStores) {
  OnePass wrong([](PassContext& context) {
    Function& function = context.function;
    std::vector<InstId> kept;
    for (BlockId b : function.layout()) {
      kept.clear();
      for (InstId id : function.insts(b)) {
        if (function.inst(id).op != Opcode::Store) kept.push_back(id);
      }
      function.set_insts(b, kept);
    }
  });
  find_and_reduce(wrong, FuzzFailure::Kind::Mismatch, 6);
}

TEST(Fuzz, FindsSpeculatedDivisions) {
  OnePass wrong([](PassContext& context) {
    for_each_inst(context.function, [&](InstId id) {
      Inst& inst = context.function.inst(id);
      if (info(inst.op).effect == Effect::Trap) inst.guard = Guard();
    });
  });
  find_and_reduce(wrong, FuzzFailure::Kind::Mismatch, 8);
}

TEST(Fuzz, FindsBrokenPrograms) {
  OnePass wrong([](PassContext& context) {
    Function& function = context.function;
    for_each_inst(function, [&](InstId id) {
      if (function.inst(id).op == Opcode::Xor) function.inst(id).results[0] = Reg();
    });
  });
  FuzzFailure failure = find_and_reduce(wrong, FuzzFailure::Kind::Broken, 2);
  EXPECT_EQ(failure.pass, "test-pass");
}

TEST(Fuzz, FindsEndlessLoops) {
  OnePass wrong([](PassContext& context) {
    Function& function = context.function;
    // Every backward branch in the layout is always taken.
    for (size_t i = 1; i < function.layout().size(); ++i) {
      BlockId b = function.layout()[i];
      InstId last = function.insts(b).back();
      if (function.inst(last).op != Opcode::Br || function.operands(last).size() != 3) continue;
      if (function.operands(last)[1].block() == b)
        function.set_operands(last, std::array{function.operands(last)[1]});
    }
  });
  find_and_reduce(wrong, FuzzFailure::Kind::Mismatch, 8);
}

TEST(Fuzz, ReportsWrongForm) {
  OnePass picky([](PassContext&) {});
  PassTable table;
  Pass pass = picky.table.all()[0];
  pass.needs = {Form::Ssa};
  table.add(pass);
  FuzzReport report = fuzz(*parse_passes(table, "test-pass"), {});
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].kind, FuzzFailure::Kind::WrongForm);
  EXPECT_EQ(report.failures[0].pass, "test-pass");
}

TEST(Fuzz, ReportsUndefinedOriginals) {
  Result<Module> module = parse("func $main() -> i32 {\n@entry:\n  ret undef\n}\n");
  ASSERT_TRUE(module);
  FuzzReport report;
  std::optional<FuzzFailure> failure = fuzz_module(*module, {}, 1, {}, report);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FuzzFailure::Kind::Generator);
  EXPECT_EQ(failure->function, "main");
}

TEST(Fuzz, LimitsAndProgress) {
  FuzzOptions options;
  options.count = 1'000'000;
  options.max_seconds = 0.05;
  uint64_t calls = 0;
  options.progress = [&](const FuzzProgress& progress) {
    ++calls;
    EXPECT_EQ(progress.programs, calls);
  };
  FuzzReport report = fuzz({}, options);
  EXPECT_EQ(report.programs, calls);
  EXPECT_LT(report.programs, 1'000'000u);
  EXPECT_LT(report.seconds, 10);
}

TEST(Fuzz, SameSeedSameReport) {
  OnePass wrong([](PassContext& context) {
    for_each_inst(context.function, [&](InstId id) {
      if (context.function.inst(id).op == Opcode::Xor) context.function.inst(id).op = Opcode::Or;
    });
  });
  FuzzOptions options;
  options.seed = 9;
  options.max_failures = 2;
  FuzzReport a = fuzz(wrong.list, options), b = fuzz(wrong.list, options);
  ASSERT_EQ(a.failures.size(), 2u);
  ASSERT_EQ(b.failures.size(), 2u);
  EXPECT_EQ(a.programs, b.programs);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a.failures[i].original, b.failures[i].original);
    EXPECT_EQ(a.failures[i].reduced, b.failures[i].reduced);
    EXPECT_EQ(a.failures[i].why, b.failures[i].why);
  }
}

}  // namespace
}  // namespace psi
