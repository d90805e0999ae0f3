// Predicate-sensitive data flow of random blocks, against what all their executions do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "flow_testing.h"
#include "psi/live/predicate_flow.h"
#include "random_blocks.h"

namespace psi {
namespace {

using testing::BlockWorlds;
using testing::kProblems;
using testing::RandomBlocks;

// What holds in which worlds, one instruction after the other.
class Truth {
 public:
  Truth(const RandomBlocks& blocks, FlowProblem problem, std::span<const FlowItem> items)
      : blocks_(blocks), problem_(problem), items_(items), holds_(items.size()) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (problem == FlowProblem::ReachingDefinitions && !items[i].inst) holds_[i].set();
    }
  }

  const BlockWorlds& holds(size_t item) const { return holds_[item]; }

  void visit_inst(InstId id) {
    const Inst& inst = blocks_.function().inst(id);
    const RandomBlocks::Event& event = blocks_.event(id);
    if (problem_ == FlowProblem::AvailableExpressions) {
      for (size_t i = 0; i < items_.size(); ++i) {
        if (is_same(inst, blocks_.function().inst(items_[i].inst))) holds_[i] |= event.executes;
      }
    }
    if (problem_ == FlowProblem::DownwardExposedUses) add_reads(id, event);
    for (size_t i = 0; i < items_.size(); ++i) {
      for (size_t k = 0; k < inst.num_results(); ++k) {
        if (is_about(items_[i], inst.results[k])) holds_[i] &= ~event.written[k];
      }
      for (size_t k = 0; k < inst.num_results(); ++k) {
        bool defines = problem_ == FlowProblem::ReachingDefinitions && items_[i].inst == id;
        if (defines && items_[i].index == k) holds_[i] |= event.written[k];
      }
    }
    if (is_backward(problem_)) add_reads(id, event);
  }

 private:
  void add_reads(InstId id, const RandomBlocks::Event& event) {
    for (const RandomBlocks::Read& read : event.reads) {
      for (size_t i = 0; i < items_.size(); ++i) {
        bool is_it = problem_ == FlowProblem::Liveness
                         ? items_[i].reg == read.reg
                         : items_[i].inst == id && items_[i].index == read.operand;
        if (is_it) holds_[i] |= read.where;
      }
    }
  }

  bool is_about(const FlowItem& item, Reg r) const {
    if (problem_ != FlowProblem::AvailableExpressions) return item.reg == r;
    for (Operand operand : blocks_.function().operands(item.inst)) {
      if (operand.reads_reg() && operand.reg() == r) return true;
    }
    return false;
  }

  bool is_same(const Inst& a, const Inst& b) const {
    if (a.op != b.op || a.type != b.type || a.kind != b.kind || a.extra != b.extra) return false;
    std::span<const Operand> x = blocks_.function().operands(a), y = blocks_.function().operands(b);
    if (a.op == Opcode::Cmpp && (is_partial(a.action(0)) || is_partial(a.action(1)))) return false;
    if (std::ranges::equal(x, y)) return true;
    return x.size() == 2 && x[0] == y[1] && x[1] == y[0];
  }

  const RandomBlocks& blocks_;
  FlowProblem problem_;
  std::span<const FlowItem> items_;
  std::vector<BlockWorlds> holds_;
};

// The worlds of expressions.
class ExprWorlds {
 public:
  // In the block that was entered.
  ExprWorlds(const RandomBlocks& blocks, BlockId b, PredicateFlow& flow)
      : blocks_(blocks), b_(b), flow_(flow) {}

  BlockWorlds of(const PredicateExpr& expr) {
    BlockWorlds result;
    expr.for_each([&](Symbol s) { result |= of(flow_.graph().term(s)); });
    return result;
  }

 private:
  BlockWorlds of(Term term) {
    for (auto node = static_cast<uint32_t>(known_.size()); node <= term.node(); ++node) {
      Term t = Term::of_node(node);
      if (node == 0) {
        known_.push_back(BlockWorlds().set());
      } else if (terms().kind(t) == PredicateTerms::Kind::Condition) {
        known_.push_back(blocks_.worlds(b_, terms().condition(t), *flow_.predicates()));
      } else {
        known_.push_back(value(terms().first(t)) & value(terms().second(t)));
      }
    }
    return value(term);
  }
  BlockWorlds value(Term t) const { return t.is_negated() ? ~known_[t.node()] : known_[t.node()]; }
  const PredicateTerms& terms() { return flow_.predicates()->terms(); }

  const RandomBlocks& blocks_;
  BlockId b_;
  PredicateFlow& flow_;
  std::vector<BlockWorlds> known_;  // by node
};

struct Score {
  uint64_t points = 0;
  uint64_t exact = 0;
};

void check(const RandomBlocks& blocks, FlowProblem problem, FlowScope scope, Score& score) {
  const Function& function = blocks.function();
  Analyses analyses(function);
  PredicateFlow flow(function, analyses, problem, scope);
  Truth truth(blocks, problem, flow.items());
  BlockWorlds all;
  for (size_t world = 0; world < blocks.num_worlds(); ++world) all.set(world);
  std::vector<BlockId> order(function.layout().begin(), function.layout().end());
  if (is_backward(problem)) std::ranges::reverse(order);
  for (BlockId b : order) {
    flow.enter(b);
    ExprWorlds worlds(blocks, b, flow);
    while (true) {
      for (uint32_t item = 0; item < flow.items().size(); ++item) {
        BlockWorlds found = worlds.of(flow.state()[item]) & all, right = truth.holds(item) & all;
        BlockWorlds wrong = is_must(problem) ? found & ~right : right & ~found;
        ASSERT_TRUE(wrong.none()) << "item " << item << " at " << b.index() << ", " << flow.position();
        if (found.none() && right.none()) continue;
        ++score.points;
        score.exact += found == right;
      }
      uint32_t position = flow.position();
      if (!flow.advance()) break;
      truth.visit_inst(function.insts(b)[is_backward(problem) ? position - 1 : position]);
    }
  }
}

// All is right, and at least so much of it exact.
void check_random_blocks(bool is_one, double min_percent) {
  std::array<std::array<Score, 2>, std::size(kProblems)> scores;
  uint64_t count = testing::num_programs(100);
  for (uint64_t seed = 0; seed < count; ++seed) {
    RandomBlocks blocks(seed, is_one);
    for (FlowProblem problem : kProblems) {
      for (FlowScope scope : {FlowScope::Blind, FlowScope::Local}) {
        check(blocks, problem, scope, scores[static_cast<size_t>(problem)][static_cast<size_t>(scope)]);
        ASSERT_FALSE(::testing::Test::HasFailure())
            << "seed " << seed << ", problem " << static_cast<int>(problem) << ", scope "
            << static_cast<int>(scope);
      }
    }
  }
  for (size_t i = 0; i < std::size(kProblems); ++i) {
    auto percent = [](const Score& score) {
      return 100 * static_cast<double>(score.exact) / static_cast<double>(score.points);
    };
    double blind = percent(scores[i][0]), local = percent(scores[i][1]);
    ::testing::Test::RecordProperty(fmt::format("problem_{}_exact", i),
                                    fmt::format("blind {:.1f}%, local {:.1f}%", blind, local));
    EXPECT_GT(local, min_percent) << i;
    EXPECT_LT(blind, 75) << i;
  }
}

TEST(PredicateFlow, RandomBlock) { check_random_blocks(true, 95); }
TEST(PredicateFlow, RandomBlocksInARow) { check_random_blocks(false, 70); }

}  // namespace
}  // namespace psi
