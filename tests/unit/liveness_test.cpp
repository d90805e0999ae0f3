#include "psi/live/liveness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "analysis_testing.h"
#include "iterations.h"
#include "parsing.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/analysis/uses.h"
#include "psi/testing/generate.h"
#include "psi/text/text.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;
using testing::parse_function;

// By the definition: r is live at a point if some path from it reads r before killing it.
class Paths {
 public:
  Paths(const Function& function, LivenessRules rules = {}) : f_(function), rules_(rules) {}

  // Before the instruction at `position`; that may be the end of the block.
  bool is_live(BlockId b, size_t position, Reg r) const {
    std::vector<bool> seen(f_.num_blocks());
    std::vector<BlockId> work;
    auto look = [&](BlockId block, size_t from) {
      for (size_t i = from; i < f_.insts(block).size(); ++i) {
        const Inst& inst = f_.inst(f_.insts(block)[i]);
        if (reads(inst, r)) return true;
        if (kills(inst, r)) return false;
      }
      bool found = false;
      f_.for_each_successor(block, [&](BlockId to) {
        for (InstId id : f_.insts(to)) {
          std::span<const Operand> operands = f_.operands(id);
          for (size_t k = 0; f_.inst(id).is_phi() && k < operands.size(); k += 2) {
            found |= operands[k].block() == block && operands[k + 1] == Operand::reg(r);
          }
        }
        if (!seen[to.index()]) work.push_back(to);
        seen[to.index()] = true;
      });
      return found;
    };
    if (look(b, position)) return true;
    while (!work.empty()) {
      BlockId next = work.back();
      work.pop_back();
      if (look(next, 0)) return true;
    }
    return false;
  }

 private:
  bool reads(const Inst& inst, Reg r) const {
    if (inst.is_phi()) return false;
    if (inst.guard && inst.guard.reg() == r) return true;
    for (Operand operand : f_.operands(inst)) {
      if (operand.reads_reg() && operand.reg() == r) return true;
    }
    if (is_ssa(f_.form)) return false;
    for (int k = 0; k < 2; ++k) {
      if (inst.results[k] != r) continue;
      if (is_partial_target(inst, k) || (inst.guard && rules_.guarded_definitions_read)) return true;
    }
    return false;
  }
  bool kills(const Inst& inst, Reg r) const {
    for (int k = 0; k < 2; ++k) {
      if (inst.results[k] == r) return is_ssa(f_.form) || (!inst.guard && !is_partial_target(inst, k));
    }
    return false;
  }
  static bool is_partial_target(const Inst& inst, int k) {
    if (inst.op != Opcode::Cmpp) return false;
    Action action = inst.action(k);
    return action != Action::un && action != Action::uc;
  }

  const Function& f_;
  LivenessRules rules_;
};

void expect_right(const Function& f, LivenessRules rules) {
  Cfg cfg(f);
  Order order(cfg);
  Liveness liveness(f, cfg, order, rules);
  Paths paths(f, rules);
  for (BlockId b : f.layout()) {
    std::vector<Reg> in;
    std::vector<Reg> out;
    for (uint32_t r = 0; r < f.num_regs() && order.is_reachable(b); ++r) {
      if (paths.is_live(b, 0, Reg(r))) in.push_back(Reg(r));
      if (paths.is_live(b, f.insts(b).size(), Reg(r))) out.push_back(Reg(r));
    }
    std::vector<Reg> found_in;
    std::vector<Reg> found_out;
    liveness.for_each_live_in(b, [&](Reg r) { found_in.push_back(r); });
    liveness.for_each_live_out(b, [&](Reg r) { found_out.push_back(r); });
    ASSERT_EQ(found_in, in) << b.index();
    ASSERT_EQ(found_out, out) << b.index();
    for (uint32_t r = 0; r < f.num_regs(); ++r) {
      ASSERT_EQ(liveness.live_in(b, Reg(r)), std::ranges::count(in, Reg(r)) > 0);
      ASSERT_EQ(liveness.live_out(b, Reg(r)), std::ranges::count(out, Reg(r)) > 0);
    }
  }
}

TEST(Liveness, OfGeneratedPrograms) {
  for (uint64_t seed = 0; seed < testing::iterations(240u); ++seed) {
    GenerateOptions options;
    options.seed = seed;
    options.size = 20 + seed % 60;
    options.shape = seed % 2 == 0 ? Shape::Structured : Shape::Irreducible;
    Module module = generate(options);
    for (SymbolId symbol : module.declarations()) {
      if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
      ASSERT_NO_FATAL_FAILURE(expect_right(module.function(symbol), {}));
      ASSERT_NO_FATAL_FAILURE(expect_right(module.function(symbol), {.guarded_definitions_read = true}));
    }
  }
}

TEST(Liveness, GuardedAndPartialDefinitionsDoNotKill) {
  Function f = parse_function(
      "func $f(%g: i1, %a: i32) -> i32 {\n"
      "@entry:\n"
      "  br @next\n"
      "@next:\n"
      "  %g ? %x = mov.i32 1\n"
      "  %p, %q = cmpp.on.un.lt.i32 %a, 10\n"
      "  %g ? %unused = mov.i32 1\n"
      "  %whole = mov.i32 1\n"
      "  %p ? ret %x\n"
      "  %q ? ret %whole\n"
      "  ret 0\n"
      "}\n");
  Cfg cfg(f);
  Order order(cfg);
  BlockId next(1);
  Liveness liveness(f, cfg, order);
  Liveness reading(f, cfg, order, {.guarded_definitions_read = true});
  for (const Liveness* each : {&liveness, &reading}) {
    EXPECT_TRUE(each->live_in(next, find_reg(f, "x")));
    EXPECT_TRUE(each->live_in(next, find_reg(f, "p")));
    EXPECT_FALSE(each->live_in(next, find_reg(f, "q")));
    EXPECT_FALSE(each->live_in(next, find_reg(f, "whole")));
    EXPECT_TRUE(each->live_out(f.entry(), find_reg(f, "x")));
    EXPECT_TRUE(each->live_in(f.entry(), find_reg(f, "a")));
  }
  EXPECT_FALSE(liveness.live_in(next, find_reg(f, "unused")));
  EXPECT_TRUE(reading.live_in(next, find_reg(f, "unused")));
}

TEST(Liveness, PhisReadAtTheEndsOfPredecessors) {
  Function f = parse_function(
      "func $f(%n: i32) -> i32 ssa {\n"
      "@entry:\n"
      "  %zero = mov.i32 0\n"
      "  br @loop\n"
      "@loop:\n"
      "  %i = phi [@entry: %zero], [@loop: %j]\n"
      "  %j = add.i32 %i, 1\n"
      "  %c = cmp.lt.i32 %j, %n\n"
      "  br %c, @loop, @end\n"
      "@end:\n"
      "  ret %i\n"
      "}\n");
  Cfg cfg(f);
  Order order(cfg);
  Dominators dominators(cfg);
  Uses uses(f);
  Liveness liveness(f, cfg, order);
  LivenessQuery query(f, cfg, dominators, uses);
  BlockId loop(1);
  BlockId end(2);
  Reg zero = find_reg(f, "zero");
  Reg i = find_reg(f, "i");
  Reg j = find_reg(f, "j");
  EXPECT_TRUE(liveness.live_out(f.entry(), zero));
  EXPECT_FALSE(liveness.live_in(loop, zero));
  EXPECT_FALSE(liveness.live_in(loop, i));
  EXPECT_TRUE(liveness.live_in(end, i));
  EXPECT_TRUE(liveness.live_out(loop, j));
  EXPECT_FALSE(liveness.live_in(loop, j));
  EXPECT_TRUE(query.is_live_out(f.entry(), zero));
  EXPECT_FALSE(query.is_live_in(loop, zero));
  EXPECT_FALSE(query.is_live_in(loop, i));
  EXPECT_TRUE(query.is_live_in(end, i));
  EXPECT_TRUE(query.is_live_out(loop, j));
  EXPECT_FALSE(query.is_live_in(loop, j));
  EXPECT_FALSE(query.is_live_after(f.insts(end)[0], i));
  EXPECT_TRUE(query.is_live_after(f.insts(loop)[0], i));
  EXPECT_FALSE(query.is_live_after(f.insts(loop)[0], j));
}

// A random function in SSA form: every block defines a register or two, some under a guard, some by a phi,
// and reads some that dominate it, also in psis.
class SsaMaker {
 public:
  SsaMaker(std::mt19937& random, const Graph& graph)
      : random_(random), f_(function_of(graph)), cfg_(f_), dominators_(cfg_) {}

  Function run() {
    f_.form = Form::Ssa;
    f_.params = {Reg(0)};  // the predicate that all terminators read
    for (BlockId b : f_.layout()) {
      phis_.push_back(below(2) == 0 && !cfg_.predecessors(b).empty() ? f_.add_reg(Type::i1) : Reg());
      results_.push_back({f_.add_reg(Type::i1)});
      if (below(2) == 0) results_.back().push_back(f_.add_reg(Type::i1));
    }
    for (BlockId b : f_.layout()) fill(b);
    return std::move(f_);
  }

 private:
  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }

  void fill(BlockId b) {
    std::vector<InstId> ids;
    if (phis_[b.index()]) {
      std::vector<Operand> pairs;
      cfg_.for_each_distinct_predecessor(b, [&](BlockId p) {
        pairs.push_back(Operand::block(p));
        pairs.push_back(below(5) == 0 ? f_.literal(Type::i1, uint64_t{1}) : Operand::reg(any(p, true)));
      });
      ids.push_back(add(Opcode::Phi, phis_[b.index()], pairs, {}));
    }
    for (Reg r : results_[b.index()]) {
      here_ = &ids;
      Reg x = any(b, false);
      Reg y = any(b, false);
      Guard guard = below(3) == 0 ? Guard(any(b, false), below(2) == 0) : Guard();
      if (below(3) == 0) {
        std::vector<Operand> pairs = {Operand::always(), Operand::reg(x), Operand::not_reg(y),
                                      Operand::reg(any(b, false))};
        ids.push_back(add(Opcode::Psi, r, pairs, {}));
      } else {
        ids.push_back(add(Opcode::And, r, std::vector{Operand::reg(x), Operand::reg(y)}, guard));
      }
    }
    std::vector<InstId> terminators(f_.insts(b).begin(), f_.insts(b).end());
    ids.insert(ids.end(), terminators.begin(), terminators.end());
    f_.set_insts(b, ids);
  }

  InstId add(Opcode op, Reg result, std::span<const Operand> operands, Guard guard) {
    Inst inst;
    inst.op = op;
    inst.type = Type::i1;
    inst.guard = guard;
    inst.results[0] = result;
    return f_.add_inst(inst, operands);
  }

  // A register whose definition dominates the end of b, or what is done of b so far.
  Reg any(BlockId b, bool at_end) {
    std::vector<Reg> choices = {Reg(0)};
    for (BlockId above : f_.layout()) {
      if (above == b && !at_end) {
        for (InstId id : *here_) choices.push_back(f_.inst(id).results[0]);
      } else if (dominators_.dominates(above, b)) {
        if (phis_[above.index()]) choices.push_back(phis_[above.index()]);
        for (Reg r : results_[above.index()]) choices.push_back(r);
      }
    }
    return choices[below(static_cast<uint32_t>(choices.size()))];
  }

  std::mt19937& random_;
  Function f_;
  Cfg cfg_;
  Dominators dominators_;
  std::vector<Reg> phis_;                  // by block; none: no phi
  std::vector<std::vector<Reg>> results_;  // by block
  const std::vector<InstId>* here_ = nullptr;
};

TEST(Liveness, QueriesAndSetsOfRandomSsaFunctions) {
  std::mt19937 random(27);
  uint32_t live = 0;
  for (int iteration = 0; iteration < 1500; ++iteration) {
    Function f = SsaMaker(random, testing::random_graph(random, iteration % 16 == 0 ? 24 : 10)).run();
    ASSERT_NO_FATAL_FAILURE(expect_right(f, {}));
    Cfg cfg(f);
    Order order(cfg);
    Dominators dominators(cfg);
    Uses uses(f);
    Liveness liveness(f, cfg, order);
    LivenessQuery query(f, cfg, dominators, uses);
    Paths paths(f);
    for (BlockId b : f.layout()) {
      for (uint32_t i = 0; i < f.num_regs(); ++i) {
        Reg r(i);
        ASSERT_EQ(query.is_live_in(b, r), liveness.live_in(b, r)) << b.index() << " " << i;
        ASSERT_EQ(query.is_live_out(b, r), liveness.live_out(b, r)) << b.index() << " " << i;
        live += query.is_live_in(b, r) ? 1 : 0;
        for (size_t k = 0; k < f.insts(b).size(); ++k) {
          bool expected = order.is_reachable(b) && paths.is_live(b, k + 1, r);
          ASSERT_EQ(query.is_live_after(f.insts(b)[k], r), expected) << b.index() << " " << k << " " << i;
        }
      }
    }
  }
  EXPECT_GT(live, 5000u);
}

TEST(Liveness, DeepChains) {
  constexpr uint32_t kDepth = 100'000;
  Function f = function_of(testing::chain_with_edges_back(kDepth));
  f.form = Form::Ssa;
  f.params = {Reg(0)};
  BlockId last(kDepth - 1);
  BlockId first_use(kDepth - 2);  // the last block with a choice reads the predicate
  Cfg cfg(f);
  Order order(cfg);
  Dominators dominators(cfg);
  Uses uses(f);
  Liveness liveness(f, cfg, order);
  LivenessQuery query(f, cfg, dominators, uses);
  EXPECT_TRUE(liveness.live_in(f.entry(), Reg(0)));
  EXPECT_TRUE(query.is_live_in(f.entry(), Reg(0)));
  EXPECT_TRUE(query.is_live_out(first_use, Reg(0)));
  EXPECT_FALSE(liveness.live_in(last, Reg(0)));
  EXPECT_FALSE(query.is_live_in(last, Reg(0)));
}

}  // namespace
}  // namespace psi
