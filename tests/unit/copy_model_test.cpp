#include "psi/destruct/copy_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "copy_models.h"
#include "iterations.h"
#include "parsing.h"
#include "psi/pass/analyses.h"
#include "psi/ssa/construct.h"
#include "psi/testing/generate.h"

namespace psi {
namespace {

using namespace testing;

double least_of(std::string_view text, const DestructOptions& options = {}) {
  return least_of_all(copy_model(parse_function(text), options));
}

// A value copied along the back edge is needed after the loop: once, or in every iteration.
TEST(CopyModel, LostCopy) {
  EXPECT_EQ(least_of(R"(
func $f(%a: i32) -> i32 ssa {
@entry: count 1
  br @loop
@loop: count 10
  %x = phi [@entry: %a], [@loop: %y]
  %y = add.i32 %x, 1
  %p = cmp.lt.i32 %y, 9
  br %p, @loop, @exit, counts 9 1
@exit: count 1
  ret %x
}
)"),
            10);
}

// Two values are swapped in every iteration.
TEST(CopyModel, Swap) {
  EXPECT_EQ(least_of(R"(
func $f(%a: i32, %b: i32, %n: i32) -> i32 ssa {
@entry: count 1
  br @loop
@loop: count 10
  %x = phi [@entry: %a], [@loop: %y]
  %y = phi [@entry: %b], [@loop: %x]
  %p = call.i1 $next()
  br %p, @loop, @exit, counts 9 1
@exit: count 1
  %z = sub.i32 %x, %y
  ret %z
}
extern func $next() -> i1
)"),
            20);
}

TEST(CopyModel, PsiNeedsNoCopy) {
  constexpr std::string_view kConditional = R"(
func $f(%p: i1, %a: i32) -> i32 ssa {
@entry:
  %x = mul.i32 %a, 3
  %p ? %y = add.i32 %a, 1
  %z = psi %x, %p ? %y
  ret %z
}
)";
  EXPECT_EQ(least_of(kConditional), 0);
}

TEST(CopyModel, PsiNeedsOneIfItsArgumentIsReadFurtherDown) {
  EXPECT_EQ(least_of(R"(
func $f(%p: i1, %a: i32) -> i32 ssa {
@entry:
  %x = mul.i32 %a, 3
  %p ? %y = add.i32 %a, 1
  %z = psi %x, %p ? %y
  %r = sub.i32 %z, %x
  ret %r
}
)"),
            1);
}

// Constants are not copied from registers, nor are addresses of stack slots.
TEST(CopyModel, ConstantsAreNoCopies) {
  CopyModel model = copy_model(parse_function(R"(
func $f(%p: i1) -> ptr ssa {
@entry:
  %s = slot 8
  %t = slot 8
  br %p, @left, @join
@left:
  br @join
@join:
  %x = phi [@entry: %s], [@left: %t]
  %n = phi.i32 [@entry: 1], [@left: 2]
  store.i32 %n, %s
  ret %x
}
)"),
                               {});
  EXPECT_EQ(model.num_nodes, 4u);
  EXPECT_EQ(model.edges.size(), 2u);
  EXPECT_EQ(least_of_all(model), 0);
}

TEST(CopyModel, CutsBetweenDifferentRegisters) {
  CopyModel model{.num_nodes = 3, .apart = {}, .edges = {{0, 1, 2}, {1, 2, 0.5}}};
  EXPECT_EQ(cut(model, std::vector<uint32_t>{1, 1, 1}), 0);
  EXPECT_EQ(cut(model, std::vector<uint32_t>{1, 1, 0}), 0.5);
  EXPECT_EQ(cut(model, std::vector<uint32_t>{1, 2, 1}), 2.5);
}

TEST(BestPartition, IsTheBestOfAll) {
  for (uint64_t seed = 0; seed < testing::iterations(2000u); ++seed) {
    CopyModel model = random_copy_model(seed, 7);
    EXPECT_NEAR(least_by_search(model), least_of_all(model), 1e-9) << seed;
  }
}

// What coalescing leaves is an assignment of registers of the model, so no better than the best of all; it
// is seldom worse. (Of psis it may have a better idea than the model.) Where registers of the same value are
// not told apart, several copies may become one.
TEST(CopyModel, CoalescingIsNearTheOptimum) {
  uint64_t num_functions = 0, num_optimal = 0, num_with_copies = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    GenerateOptions generated{.seed = seed, .size = 20 + seed % 3 * 30, .guards = false};
    if (seed % 2) generated.shape = Shape::Irreducible;
    Module module = generate(generated);
    for (SymbolId symbol : module.declarations()) {
      if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
      Function function = module.function(symbol);
      Analyses analyses(function);
      Counters counters;
      StepTimes times;
      construct(function, analyses, {}, counters, times);
      analyses.drop(Keeps::ControlFlow);
      DestructOptions options{.values = false, .sink = false, .share = false};
      CopyModel model = copy_model(function, options);
      if (model.num_nodes > destruct::PartitionProblem::kMaxNodes) continue;
      destruct_ssa(function, analyses, options, counters, times);
      auto least = static_cast<uint64_t>(std::llround(least_by_search(model) * 100));
      EXPECT_GE(counters["copies left weighted"], least) << seed << print(module, module.function(symbol));
      ++num_functions;
      num_with_copies += least > 0;
      num_optimal += counters["copies left weighted"] == least;
    }
  }
  EXPECT_GT(num_with_copies, 10u);
  EXPECT_GT(num_optimal, num_functions * 95 / 100);
}

}  // namespace
}  // namespace psi
