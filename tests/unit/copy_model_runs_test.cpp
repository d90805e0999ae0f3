// The model of copies against all that can be tried, with the interpreter as the only judge: every assignment
// of registers is made a program and run in every world.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "copy_models.h"
#include "iterations.h"
#include "parsing.h"
#include "psi/destruct/copy_model.h"
#include "psi/pipeline/pass_table.h"
#include "psi_programs.h"

namespace psi {
namespace {

using namespace testing;

constexpr uint32_t kMaxNodes = 7;
constexpr double kNothing = 1e-9;

struct Verdict {
  double by_model = std::numeric_limits<double>::infinity();
  double by_runs = std::numeric_limits<double>::infinity();  // among those that are right
  std::vector<uint32_t> best;                                // of the model
};

class EveryAssignment {
 public:
  EveryAssignment(const PsiRuns& runs, const Module& module, SymbolId symbol, PsiCopies psis)
      : runs_(runs), module_(module), symbol_(symbol), psis_(psis) {}

  // Those that cost less than the best of the model, and that one.
  Verdict judge(const CopyModel& model) const {
    Verdict verdict;
    for_each_partition(model.num_nodes, [&](const std::vector<uint32_t>& registers) {
      double cost = cut(model, registers);
      if (cost >= verdict.by_model || !keeps_apart(model, registers) || !is_connected(model, registers))
        return;
      verdict.by_model = cost;
      verdict.best = registers;
    });
    EXPECT_TRUE(runs_.are_refined_by(with(verdict.best)));
    verdict.by_runs = verdict.by_model;
    for_each_partition(model.num_nodes, [&](const std::vector<uint32_t>& registers) {
      double cost = cut(model, registers);
      if (cost >= verdict.by_runs - kNothing || !is_connected(model, registers)) return;
      if (!runs_.are_refined_by(with(registers))) return;
      verdict.by_runs = cost;
    });
    return verdict;
  }

  Module with(const std::vector<uint32_t>& registers) const {
    Module result = module_;
    destruct_as(result.function(symbol_), options_, psis_, registers);
    return result;
  }

 private:
  const PsiRuns& runs_;
  const Module& module_;
  SymbolId symbol_;
  PsiCopies psis_;
  DestructOptions options_;
};

struct Sums {
  uint32_t models = 0;
  uint32_t with_copies = 0;
  uint32_t too_expensive = 0;  // the model asks for more than is needed
};

void judge(const Module& module, SymbolId symbol, const PsiRuns& runs, Sums& sums) {
  for (PsiCopies psis : {PsiCopies::AtOnce, PsiCopies::InSteps}) {
    CopyModel model = copy_model(module.function(symbol), {}, psis);
    if (model.num_nodes > kMaxNodes || model.edges.empty()) continue;
    EveryAssignment every(runs, module, symbol, psis);
    Verdict verdict = every.judge(model);
    ++sums.models;
    sums.with_copies += verdict.by_model > 0;
    if (verdict.by_runs >= verdict.by_model - kNothing) continue;
    ++sums.too_expensive;
  }
}

// What psis of any kind take is right, but not always proven, so the verifier is not asked.
void run_passes(Module& module, std::string_view passes) {
  Result<PassList> list = parse_passes(PassTable::builtin(), passes);
  ASSERT_TRUE(list);
  Function& function = *module.find_function("f");
  Analyses analyses(function);
  Counters counters;
  StepTimes times;
  for (const auto& step : *list) {
    PassContext context{module, function, analyses, step.arguments, counters, times, nullptr};
    step.pass->run(context);
    analyses.drop(Keeps::Nothing);
  }
}

// Nested ifs on the parameters, whose sides assign to two variables and use them. No two assignments give the
// same value, but that one variable may be copied to the other.
class Branches {
 public:
  explicit Branches(uint64_t seed) : random_(seed) {
    text_ =
        "func $f(%p0: i1, %p1: i1, %p2: i1, %a: i32, %b: i32, %c: i32) -> i32 {\n"
        "@entry:\n"
        "  %x = mov %a\n"
        "  %y = mul.i32 %b, 3\n";
    statements(0);
    text_ += "  %r = mul.i32 %x, 1000\n  %r = add.i32 %r, %y\n  ret %r\n}\n\nextern func $use(i32)\n";
  }
  const std::string& text() const { return text_; }

 private:
  void statements(uint32_t depth) {
    for (uint32_t count = 1 + random_.below(3); count > 0; --count) {
      uint32_t kind = random_.below(10);
      const char* target = random_.coin() ? "x" : "y";
      if (kind < 4 && depth < 3) {
        branch(depth);
      } else if (kind < 7) {
        const char* source = random_.coin() ? "c" : target;
        ++number_;
        text_ += fmt::format("  %{} = add.i32 %{}, {}\n", target, source, 10 * number_ * number_);
      } else if (kind < 8) {
        text_ += fmt::format("  %{} = mov %{}\n", target, *target == 'x' ? "y" : "x");
      } else {
        text_ += fmt::format("  call $use(%{})\n", target);
      }
    }
  }

  void branch(uint32_t depth) {
    uint32_t n = ++number_;
    text_ += fmt::format("  br %p{}, @then{}, @else{}\n@then{}:\n", depth, n, n, n);
    statements(depth + 1);
    text_ += fmt::format("  br @join{}\n@else{}:\n", n, n);
    if (random_.coin()) statements(depth + 1);
    text_ += fmt::format("  br @join{}\n@join{}:\n", n, n);
  }

  Random random_;
  std::string text_;
  uint32_t number_ = 0;
};

// The best of the model is always right. It may be too dear where psis are nested: a copy whose source is in
// the same register writes nothing, but which copies these are, a relation between two registers cannot say.
TEST(CopyModelRuns, IfConvertedBranches) {
  Sums sums;
  for (uint64_t seed = 0; seed < testing::iterations(3000u); ++seed) {
    SCOPED_TRACE(seed);
    Branches branches(seed);
    Module module = parse_or_die(branches.text());
    SymbolId symbol = *module.find_symbol("f");
    run_passes(module, "construct");
    PsiRuns runs(module, symbol);
    run_passes(module, "if-convert(target=playdoh,mode=all),adce");
    judge(module, symbol, runs, sums);
    if (HasFailure()) break;
  }
  EXPECT_GT(sums.with_copies, sums.models / 4);
  EXPECT_LT(sums.too_expensive, sums.models / 2);
}

// Psis as far from conventional as the rules allow. Here values are often the same.
TEST(CopyModelRuns, PsisOfAnyKind) {
  Sums sums;
  for (uint64_t seed = 0; seed < testing::iterations(2000u); ++seed) {
    SCOPED_TRACE(seed);
    PsiProgram program(seed, {.undef = false, .size = 6});
    Module module = program.module();
    // Dead values may share any register, which is of no interest.
    run_passes(module, "adce");
    judge(module, program.symbol(), PsiRuns(program), sums);
    if (HasFailure()) break;
  }
  EXPECT_GT(sums.with_copies, sums.models / 4);
  EXPECT_LT(sums.too_expensive, sums.models / 5);
}

}  // namespace
}  // namespace psi
