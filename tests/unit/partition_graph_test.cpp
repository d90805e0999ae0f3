// The partition graph, against the sets of executions that it speaks of: all assignments of values to the
// conditions.
#include "psi/predicate/partition_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "iterations.h"
#include "psi/predicate/algebra.h"

namespace psi {
namespace {

// The truth table of a term over up to six bits, whose value numbers are 0 to 5.
uint64_t table_of(const PredicateTerms& terms, Term term) {
  constexpr std::array<uint64_t, 6> kInputs = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                               0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
  std::vector<uint64_t> known(terms.num_nodes());
  // Parts are older than their wholes.
  for (uint32_t node = 0; node <= term.node(); ++node) {
    Term positive = Term::of_node(node);
    auto value = [&](Term part) { return part.is_negated() ? ~known[part.node()] : known[part.node()]; };
    switch (terms.kind(positive)) {
      case PredicateTerms::Kind::Always:
        known[node] = ~uint64_t{0};
        break;
      case PredicateTerms::Kind::Condition:
        known[node] = kInputs[terms.condition(positive).left];
        break;
      case PredicateTerms::Kind::Both:
        known[node] = value(terms.first(positive)) & value(terms.second(positive));
        break;
    }
  }
  return term.is_negated() ? ~known[term.node()] : known[term.node()];
}

std::vector<Term> random_terms(PredicateTerms& terms, std::mt19937& random, uint32_t num_conditions,
                               uint32_t count) {
  std::vector<Term> all;
  for (uint32_t i = 0; i < num_conditions; ++i) all.push_back(terms.bit(i));
  for (uint32_t i = 0; i < count; ++i) {
    auto pick = [&] {
      Term term = all[random() % all.size()];
      return random() % 3 == 0 ? !term : term;
    };
    Term a = pick(), b = pick();
    all.push_back(random() % 2 == 0 ? terms.both(a, b) : terms.either(a, b));
  }
  return all;
}

// Random terms, their symbols, and the truth tables of all symbols.
struct RandomGraph {
  explicit RandomGraph(std::mt19937& random)
      : all(random_terms(terms, random, 2 + random() % 5, 1 + random() % 24)), graph(terms) {
    for (Term term : all) symbols.push_back(graph.symbol(term));
    for (uint32_t i = 0; i < graph.num_symbols(); ++i) {
      tables.push_back(table_of(terms, graph.term(Symbol(i))));
    }
  }
  uint64_t table(Symbol s) const { return s ? tables[s.index()] : 0; }

  PredicateTerms terms;
  std::vector<Term> all;
  PartitionGraph graph;
  std::vector<Symbol> symbols;  // of `all`
  std::vector<uint64_t> tables;
};

TEST(PartitionGraph, SaysOnlyWhatIsTrue) {
  std::mt19937 random(1);
  uint64_t disjoint = 0, disjoint_known = 0, subset = 0, subset_known = 0;
  for (int iteration = 0; iteration < testing::iterations(3000); ++iteration) {
    RandomGraph made(random);
    const PredicateTerms& terms = made.terms;
    const PartitionGraph& graph = made.graph;
    const std::vector<Term>& all = made.all;
    const std::vector<Symbol>& symbols = made.symbols;
    auto table = [&](Symbol s) { return made.table(s); };

    for (PartitionGraph::PartitionId p = 0; p < graph.num_partitions(); ++p) {
      uint64_t together = 0;
      for (Symbol part : graph.parts(p)) {
        ASSERT_EQ(together & table(part), 0u);
        together |= table(part);
      }
      ASSERT_EQ(together, table(graph.whole(p)));
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (!symbols[i]) {
        ASSERT_EQ(table_of(terms, all[i]), 0u);
        continue;
      }
      ASSERT_EQ(table(symbols[i]), table_of(terms, all[i]));
      ASSERT_TRUE(graph.is_subset(symbols[i], PartitionGraph::root()));
      for (size_t k = 0; k < all.size(); ++k) {
        if (!symbols[k] || i == k) continue;
        Symbol p = symbols[i], q = symbols[k];
        bool is_disjoint = (table(p) & table(q)) == 0, is_subset = (table(p) & ~table(q)) == 0;
        disjoint += is_disjoint;
        subset += is_subset;
        if (graph.is_disjoint(p, q)) {
          ASSERT_TRUE(is_disjoint);
          ++disjoint_known;
        }
        if (graph.is_subset(p, q)) {
          ASSERT_TRUE(is_subset);
          ++subset_known;
          std::vector<Symbol> rest;
          if (!graph.relative_complement(p, q, rest)) continue;
          uint64_t covered = 0;
          for (Symbol s : rest) {
            ASSERT_EQ(covered & table(s), 0u);
            covered |= table(s);
          }
          ASSERT_EQ(covered, table(q) & ~table(p));
        }
        Symbol above = graph.lowest_common_ancestor(p, q);
        ASSERT_EQ((table(p) | table(q)) & ~table(above), 0u);
      }
    }
  }
  // Or the test would show little.
  EXPECT_GT(disjoint_known, disjoint / 2);
  EXPECT_GT(subset_known, subset / 2);
}

TEST(PredicateAlgebra, ErrsOnTheSideThatItPromises) {
  std::mt19937 random(2);
  uint64_t exact = 0, total = 0;
  for (int iteration = 0; iteration < testing::iterations(1500); ++iteration) {
    RandomGraph made(random);
    PartitionGraph& graph = made.graph;
    const std::vector<Symbol>& symbols = made.symbols;
    auto table = [&](Symbol s) { return made.table(s); };
    auto table_of_expr = [&](const PredicateExpr& e) {
      uint64_t together = 0;
      e.for_each([&](Symbol s) { together |= table(s); });
      return together;
    };
    PredicateAlgebra algebra(graph);
    PredicateExpr e = random() % 2 ? algebra.true_expr() : algebra.false_expr();
    for (int step = 0; step < 30; ++step) {
      Symbol p = symbols[random() % symbols.size()];
      uint64_t before = table_of_expr(e);
      if (algebra.is_disjoint(p, e)) {
        ASSERT_EQ(before & table(p), 0u);
      }
      if (algebra.is_subset(p, e)) {
        ASSERT_EQ(table(p) & ~before, 0u);
      }
      ++total;
      switch (random() % 3) {
        case 0:
          e = algebra.lub_sum(p, e);
          ASSERT_EQ(table_of_expr(e), before | table(p));
          ++exact;
          break;
        case 1:
          e = algebra.lub_diff(e, p);
          ASSERT_EQ(before & ~table(p) & ~table_of_expr(e), 0u);
          exact += table_of_expr(e) == (before & ~table(p));
          break;
        case 2:
          e = algebra.glb_diff(e, p);
          ASSERT_EQ(table_of_expr(e) & (~before | table(p)), 0u);
          exact += table_of_expr(e) == (before & ~table(p));
          break;
      }
      // Reduced: nothing within another.
      e.for_each(
          [&](Symbol s) { e.for_each([&](Symbol t) { ASSERT_TRUE(s == t || !graph.is_subset(s, t)); }); });
    }
  }
  EXPECT_GT(exact, total / 2);
}

// Johnson and Schlansker 1996, section 3.3 and figure 5: 1 = P | Q, Q = R | S, T = P | R, and 1 = T | S.
TEST(PartitionGraph, OfTheRunningExample) {
  PredicateTerms terms;
  Term a_b = terms.compare(Type::i32, Cond::lt, 0, 1), c_d = terms.compare(Type::i32, Cond::eq, 2, 3);
  Term p = !a_b, q = a_b, s = terms.both(c_d, q), r = terms.both(!c_d, q), t = terms.either(p, r);
  PartitionGraph graph(terms);
  Symbol P = graph.symbol(p), T = graph.symbol(t), Q = graph.symbol(q), R = graph.symbol(r),
         S = graph.symbol(s);
  auto has = [&](Symbol whole, std::vector<Symbol> parts) {
    for (PartitionGraph::PartitionId id : graph.partitions_of(whole)) {
      std::span<const Symbol> known = graph.parts(id);
      if (std::is_permutation(known.begin(), known.end(), parts.begin(), parts.end())) return true;
    }
    return false;
  };
  EXPECT_TRUE(has(graph.root(), {P, Q}));
  EXPECT_TRUE(has(Q, {R, S}));
  EXPECT_TRUE(has(T, {P, R}));
  EXPECT_TRUE(has(graph.root(), {T, S}));
  EXPECT_TRUE(graph.is_disjoint(P, R));
  EXPECT_TRUE(graph.is_disjoint(S, T));
  EXPECT_FALSE(graph.is_disjoint(R, T));
  EXPECT_TRUE(graph.is_subset(R, T));
  EXPECT_FALSE(graph.is_subset(Q, T));

  // Figure 9: n is used under t, defined under r and under p.
  PredicateAlgebra algebra(graph);
  PredicateExpr live = algebra.lub_sum(T, algebra.false_expr());
  EXPECT_EQ(live, algebra.expr(T));
  live = algebra.lub_diff(live, R);
  EXPECT_EQ(live, algebra.expr(P));
  live = algebra.lub_diff(live, P);
  EXPECT_EQ(live, algebra.false_expr());
}

}  // namespace
}  // namespace psi
