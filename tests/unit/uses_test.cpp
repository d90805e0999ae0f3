#include "psi/analysis/uses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "iterations.h"
#include "parsing.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::parse_function;

TEST(Uses, OfGuardsComplementsAndBothResults) {
  Function f = parse_function(
      "func $f(%a: i32) -> i32 ssa {\n"
      "@entry:\n"
      "  %p, %q = cmpp.un.uc.lt.i32 %a, 10\n"
      "  %p ? %x = add.i32 %a, %a\n"
      "  %y = psi %a, !%q ? %x\n"
      "  ret %y\n"
      "}\n");
  Uses uses(f);
  std::span<const InstId> insts = f.insts(f.entry());
  Reg a = find_reg(f, "a");
  Reg p = find_reg(f, "p");
  Reg q = find_reg(f, "q");
  EXPECT_TRUE(uses.is_param(a));
  EXPECT_FALSE(uses.is_param(p));
  EXPECT_TRUE(uses.definitions(a).empty());
  EXPECT_TRUE(uses.definition(a).is_none());
  EXPECT_EQ(uses.definition(p), insts[0]);
  EXPECT_EQ(uses.definition(q), insts[0]);
  std::vector<Use> of_a(uses.uses(a).begin(), uses.uses(a).end());
  EXPECT_EQ(of_a, (std::vector<Use>{{insts[0], 0}, {insts[1], 0}, {insts[1], 1}, {insts[2], 1}}));
  ASSERT_EQ(uses.uses(p).size(), 1u);
  EXPECT_TRUE(uses.uses(p)[0].is_guard());
  EXPECT_EQ(uses.uses(p)[0].inst, insts[1]);
  ASSERT_EQ(uses.uses(q).size(), 1u);
  EXPECT_EQ(uses.uses(q)[0], (Use{insts[2], 2}));
  EXPECT_EQ(uses.position(insts[2]), 2u);
  EXPECT_EQ(uses.block(insts[2]), f.entry());
}

TEST(Uses, SeveralDefinitionsInPlainForm) {
  Function f = parse_function(
      "func $f(%p: i1) -> i32 {\n"
      "@entry:\n"
      "  %x = mov.i32 1\n"
      "  br %p, @a, @b\n"
      "@a:\n"
      "  %p ? %x = mov.i32 2\n"
      "  br @b\n"
      "@b:\n"
      "  ret %x\n"
      "}\n");
  Uses uses(f);
  Reg x = find_reg(f, "x");
  ASSERT_EQ(uses.definitions(x).size(), 2u);
  EXPECT_EQ(uses.definitions(x)[0], f.insts(BlockId(0))[0]);
  EXPECT_EQ(uses.definitions(x)[1], f.insts(BlockId(1))[0]);
  EXPECT_EQ(uses.uses(x).size(), 1u);
}

TEST(Uses, InstructionsOutsideTheLayoutStandNowhere) {
  Function f = parse_function("func $f(%a: i32) -> i32 {\n@entry:\n  %x = neg.i32 %a\n  ret %x\n}\n");
  InstId negation = f.insts(f.entry())[0];
  InstId last = f.insts(f.entry())[1];
  f.set_insts(f.entry(), std::vector<InstId>{last});
  Uses uses(f);
  EXPECT_TRUE(uses.block(negation).is_none());
  EXPECT_TRUE(uses.definitions(find_reg(f, "x")).empty());
  EXPECT_FALSE(uses.is_used(find_reg(f, "a")));
  EXPECT_EQ(uses.position(last), 0u);
}

// Every use leads to an operand or guard that reads the register, in order, and no read is left out; the same
// for definitions.
TEST(Uses, OfGeneratedPrograms) {
  for (uint64_t seed = 0; seed < testing::iterations(300u); ++seed) {
    GenerateOptions options;
    options.seed = seed;
    options.size = 50 + seed;
    Module module = generate(options);
    for (SymbolId symbol : module.declarations()) {
      if (module.kind(symbol) != SymbolKind::Function) continue;
      const Function& f = module.function(symbol);
      Uses uses(f);
      std::vector<size_t> reads(f.num_regs());
      std::vector<size_t> definitions(f.num_regs());
      std::vector<uint64_t> time(f.num_insts());  // place in the layout
      uint64_t now = 0;
      for (BlockId b : f.layout()) {
        for (size_t i = 0; i < f.insts(b).size(); ++i) {
          InstId id = f.insts(b)[i];
          time[id.index()] = now++;
          ASSERT_EQ(uses.block(id), b);
          ASSERT_EQ(uses.position(id), i);
          const Inst& inst = f.inst(id);
          if (inst.guard) ++reads[inst.guard.reg().index()];
          for (Operand operand : f.operands(id)) {
            if (operand.reads_reg()) ++reads[operand.reg().index()];
          }
          for (Reg r : inst.results) {
            if (r) ++definitions[r.index()];
          }
        }
      }
      for (uint32_t i = 0; i < f.num_regs(); ++i) {
        Reg r(i);
        ASSERT_EQ(uses.uses(r).size(), reads[i]);
        ASSERT_EQ(uses.definitions(r).size(), definitions[i]);
        ASSERT_EQ(uses.is_param(r), std::ranges::count(f.params, r) > 0);
        auto before = [&](Use a, Use b) {
          uint32_t of_a = a.is_guard() ? 0 : a.operand + 1;
          uint32_t of_b = b.is_guard() ? 0 : b.operand + 1;
          return std::pair(time[a.inst.index()], of_a) < std::pair(time[b.inst.index()], of_b);
        };
        for (size_t k = 0; k < uses.uses(r).size(); ++k) {
          Use use = uses.uses(r)[k];
          ASSERT_EQ(use.is_guard() ? f.inst(use.inst).guard.reg() : f.operands(use.inst)[use.operand].reg(),
                    r);
          if (k > 0) {
            ASSERT_TRUE(before(uses.uses(r)[k - 1], use));
          }
        }
        for (size_t k = 0; k < uses.definitions(r).size(); ++k) {
          InstId id = uses.definitions(r)[k];
          ASSERT_TRUE(f.inst(id).results[0] == r || f.inst(id).results[1] == r);
          if (k > 0) {
            ASSERT_LT(time[uses.definitions(r)[k - 1].index()], time[id.index()]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace psi
