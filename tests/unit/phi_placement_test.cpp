#include "psi/ssa/phi_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "cfg_testing.h"
#include "iterations.h"
#include "psi/analysis/augmented_tree.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dj_graph.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frontiers.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"
#include "ssa/join_sets.h"

namespace psi {
namespace {

using testing::function_of;
using testing::Graph;

constexpr std::array kAlgorithms = {PlacementAlgorithm::Adt, PlacementAlgorithm::DjGraph,
                                    PlacementAlgorithm::Cytron, PlacementAlgorithm::CytronFerrante};

std::vector<BlockId> sorted(std::vector<BlockId> blocks) {
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

std::vector<BlockId> blocks(std::initializer_list<uint32_t> numbers) {
  std::vector<BlockId> result;
  for (uint32_t n : numbers) result.push_back(BlockId(n));
  return result;
}

// By the definition of a join: two paths from different blocks of a set that have nothing in common but their
// end. By Menger's theorem there are two if no single block, taken away, cuts all paths off.
class Joins {
 public:
  explicit Joins(const Graph& graph) : size_(static_cast<uint32_t>(graph.size())), successors_(size_) {
    for (uint32_t b = 0; b < size_; ++b) {
      for (uint32_t to : graph[b]) successors_[b] |= bit(to);
    }
    reachable_ = reached_from(bit(0), 0) | bit(0);
  }

  // The blocks that must be added for the set to be closed under joins. The entry is a member from the start:
  // a variable has a value there, be it undefined.
  std::vector<BlockId> iterated(const std::vector<BlockId>& definitions) const {
    uint32_t members = bit(0), joins = 0;
    for (BlockId b : definitions) members |= bit(b.index()) & reachable_;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t z = 1; z < size_; ++z) {
        if ((joins | ~reachable_) & bit(z) || !is_join(members, z)) continue;
        joins |= bit(z);
        members |= bit(z);
        changed = true;
      }
    }
    std::vector<BlockId> result;
    for (uint32_t b = 0; b < size_; ++b) {
      if (joins & bit(b)) result.push_back(BlockId(b));
    }
    return result;
  }

 private:
  static uint32_t bit(uint32_t block) { return 1u << block; }

  // z as a start of a path and z as its end are two things: a path may lead from z around to z.
  bool is_join(uint32_t members, uint32_t z) const {
    for (uint32_t cut = 0; cut < size_; ++cut) {
      uint32_t starts = members & ~bit(cut);
      uint32_t dropped = cut == z ? 0 : bit(cut);
      // Paths end where they first meet z, so only a path's start may leave it.
      if (!(reached_from(starts, dropped, z) & bit(z))) return false;
    }
    return true;
  }

  // What paths of one edge or more lead to, without the blocks that are gone and not on from `end`.
  uint32_t reached_from(uint32_t starts, uint32_t dropped, uint32_t end = 32) const {
    uint32_t reached = 0, open = starts;
    while (open != 0) {
      uint32_t found = 0;
      for (uint32_t b = 0; b < size_; ++b) {
        if (open & bit(b)) found |= successors_[b];
      }
      found &= ~dropped & ~reached;
      reached |= found;
      open = end == 32 ? found : found & ~bit(end);
    }
    return reached;
  }

  uint32_t size_;
  std::vector<uint32_t> successors_;  // a bit for each block
  uint32_t reachable_ = 0;
};

TEST(PhiPlacement, NamesAndAlgorithmsMatch) {
  for (PlacementAlgorithm algorithm : kAlgorithms) {
    EXPECT_EQ(placement_from_name(placement_name(algorithm)), algorithm);
  }
  EXPECT_EQ(placement_from_name("dj"), std::nullopt);
}

// French 2004, figure 4.2; blocks B1 to B12 are 0 to 11.
const Graph kThesisGraph = {{1, 2}, {5}, {3, 4}, {5}, {5}, {6}, {7, 11}, {8, 9}, {10}, {10}, {6}, {}};

TEST(PhiPlacement, OfTheThesisExample) {
  Function function = function_of(kThesisGraph);
  for (PlacementAlgorithm algorithm : kAlgorithms) {
    Analyses analyses(function);
    std::vector<BlockId> joins;
    make_phi_placement(algorithm, analyses)->place(blocks({1, 3, 4, 8, 9}), joins);
    EXPECT_EQ(sorted(joins), blocks({5, 6, 10})) << placement_name(algorithm);
  }
}

TEST(PhiPlacement, OfABlockThatIsItsOwnJoin) {
  Function function = function_of({{1}, {1, 2}, {}});
  for (PlacementAlgorithm algorithm : kAlgorithms) {
    Analyses analyses(function);
    std::unique_ptr<PhiPlacement> placement = make_phi_placement(algorithm, analyses);
    std::vector<BlockId> joins;
    placement->place(blocks({1}), joins);
    EXPECT_EQ(joins, blocks({1})) << placement_name(algorithm);
    joins.clear();
    placement->place(blocks({0, 2}), joins);
    EXPECT_TRUE(joins.empty()) << placement_name(algorithm);
  }
}

bool has_self_loop(const Graph& graph) {
  for (uint32_t b = 0; b < graph.size(); ++b) {
    if (std::find(graph[b].begin(), graph[b].end(), b) != graph[b].end()) return true;
  }
  return false;
}

bool has_repeated_edge(const Graph& graph) {
  for (std::vector<uint32_t> to : graph) {
    std::sort(to.begin(), to.end());
    if (std::adjacent_find(to.begin(), to.end()) != to.end()) return true;
  }
  return false;
}

// Is there a reachable block that no path leads out of the function from? Post-dominators connect it to the
// exit by an edge that is not there.
bool has_infinite_loop(const Function& function, Analyses& analyses) {
  for (BlockId b : analyses.get<PostDominators>().exits()) {
    InstId last = function.terminators(b).back();
    if (!analyses.get<Cfg>().successors(b).empty() && function.inst(last).op != Opcode::Ret) return true;
  }
  return false;
}

// All algorithms and the definition agree, whatever the graph.
TEST(PhiPlacement, OfManyRandomGraphs) {
  std::mt19937 random(7);
  uint32_t irreducible = 0, self_loops = 0, repeated_edges = 0, unreachable = 0, infinite_loops = 0,
           with_joins = 0;
  for (int iteration = 0; iteration < testing::iterations(100'000); ++iteration) {
    Graph graph = testing::random_graph(random, 12);
    Function function = function_of(graph);
    Analyses analyses(function);
    Joins by_definition(graph);
    irreducible += !analyses.get<Loops>().is_reducible();
    self_loops += has_self_loop(graph);
    repeated_edges += has_repeated_edge(graph);
    unreachable += analyses.get<Order>().num_reachable() < graph.size();
    infinite_loops += has_infinite_loop(function, analyses);
    std::vector<std::unique_ptr<PhiPlacement>> placements;
    for (PlacementAlgorithm algorithm : kAlgorithms)
      placements.push_back(make_phi_placement(algorithm, analyses));
    for (int set = 0; set < 3; ++set) {
      std::vector<BlockId> definitions;
      for (uint32_t b = 0; b < graph.size(); ++b) {
        if (random() % (set + 2) == 0) definitions.push_back(BlockId(b));
      }
      std::vector<BlockId> expected = by_definition.iterated(definitions);
      with_joins += !expected.empty();
      for (size_t i = 0; i < placements.size(); ++i) {
        std::vector<BlockId> joins;
        placements[i]->place(definitions, joins);
        ASSERT_EQ(sorted(joins), expected) << placement_name(kAlgorithms[i]) << " in iteration " << iteration;
      }
    }
  }
  // All kinds of graphs were among them.
  for (uint32_t count : {irreducible, self_loops, repeated_edges, unreachable, infinite_loops, with_joins}) {
    EXPECT_GT(count, testing::iterations(10'000u));
  }
  RecordProperty("irreducible", irreducible);
  RecordProperty("self_loops", self_loops);
  RecordProperty("repeated_edges", repeated_edges);
  RecordProperty("unreachable", unreachable);
  RecordProperty("endless", infinite_loops);
  RecordProperty("sets_with_joins", with_joins);
}

// Larger ones, among themselves.
TEST(PhiPlacement, OfLargerRandomGraphs) {
  std::mt19937 random(8);
  for (int iteration = 0; iteration < testing::iterations(1000); ++iteration) {
    Graph graph = testing::random_graph(random, 200);
    Function function = function_of(graph);
    Analyses analyses(function);
    std::vector<BlockId> definitions;
    for (uint32_t b = 0; b < graph.size(); ++b) {
      if (random() % 8 == 0) definitions.push_back(BlockId(b));
    }
    std::vector<BlockId> expected;
    for (PlacementAlgorithm algorithm : kAlgorithms) {
      std::vector<BlockId> joins;
      make_phi_placement(algorithm, analyses)->place(definitions, joins);
      if (algorithm == kAlgorithms[0]) {
        expected = sorted(joins);
      } else {
        ASSERT_EQ(sorted(joins), expected) << placement_name(algorithm) << " in iteration " << iteration;
      }
    }
  }
}

// Whatever beta, a search finds the same; smaller values keep more lists.
TEST(AugmentedTree, FindsTheFrontiersForEveryBeta) {
  std::mt19937 random(9);
  for (int iteration = 0; iteration < testing::iterations(2000); ++iteration) {
    Graph graph = testing::random_graph(random, 20);
    Function function = function_of(graph);
    Analyses analyses(function);
    const Dominators& dominators = analyses.get<Dominators>();
    for (double beta : {0.0, 0.5, 1.0, 3.0, 1e9}) {
      AugmentedTree tree(analyses.get<Cfg>(), dominators, beta);
      for (BlockId root : dominators.preorder()) {
        std::vector<BlockId> found, work = {root};
        while (!work.empty()) {
          BlockId b = work.back();
          work.pop_back();
          for (BlockId to : tree.list(b)) {
            if (!dominators.strictly_dominates(root, to)) found.push_back(to);
          }
          if (tree.is_boundary(b)) continue;
          work.insert(work.end(), dominators.children(b).begin(), dominators.children(b).end());
        }
        found = sorted(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        std::span<const BlockId> frontier = analyses.get<DominanceFrontiers>().of(root);
        ASSERT_EQ(found, sorted({frontier.begin(), frontier.end()}));
        if (beta == 0) {
          ASSERT_TRUE(tree.is_boundary(root));
        }
      }
    }
  }
}

TEST(DjGraph, HasTheEdgesThatJoin) {
  Function function = function_of({{1, 1, 2}, {3}, {3, 2}, {1}, {3}});
  Analyses analyses(function);
  auto join_edges = [&](uint32_t b) {
    std::span<const BlockId> edges = analyses.get<DjGraph>().join_edges(BlockId(b));
    return std::vector<BlockId>(edges.begin(), edges.end());
  };
  EXPECT_EQ(join_edges(0), blocks({}));
  EXPECT_EQ(join_edges(1), blocks({3}));
  EXPECT_EQ(join_edges(2), blocks({3, 2}));
  EXPECT_EQ(join_edges(3), blocks({1}));
  EXPECT_EQ(join_edges(4), blocks({}));  // unreachable
}

// French 2004, figure 7.1: of five definitions three are another variable's.
TEST(JoinSets, AreSharedBetweenEqualAndIncludedSets) {
  Graph graph = {{1}, {2}, {3}, {4}, {5, 6}, {1}, {}};
  Function function = function_of(graph);
  Analyses analyses(function);
  ssa::JoinSets joins(PlacementAlgorithm::Cytron, analyses, true, *std::pmr::get_default_resource());
  auto of = [&](std::initializer_list<uint32_t> definitions) {
    std::span<const BlockId> found = joins.of(blocks(definitions));
    return std::vector<BlockId>(found.begin(), found.end());
  };
  EXPECT_EQ(of({1, 2, 5}), blocks({1}));
  EXPECT_EQ(joins.run(), 1u);
  EXPECT_EQ(of({1, 2, 3, 4, 5}), blocks({1}));
  EXPECT_EQ(joins.run(), 2u);
  EXPECT_EQ(joins.shortened(), 1u);
  EXPECT_EQ(joins.elements_saved(), 3u);
  EXPECT_EQ(of({1, 2, 5}), blocks({1}));
  EXPECT_EQ(of({1, 2, 3, 4, 5}), blocks({1}));
  EXPECT_EQ(joins.run(), 2u);
  EXPECT_EQ(joins.avoided(), 2u);
  EXPECT_EQ(joins.elements_saved(), 11u);
}

TEST(JoinSets, AreTheSameSharedOrNot) {
  std::mt19937 random(10);
  for (int iteration = 0; iteration < testing::iterations(300); ++iteration) {
    Graph graph = testing::random_graph(random, 30);
    Function function = function_of(graph);
    Analyses analyses(function);
    const Dominators& dominators = analyses.get<Dominators>();
    std::pmr::memory_resource& memory = *std::pmr::get_default_resource();
    ssa::JoinSets shared(PlacementAlgorithm::Adt, analyses, true, memory);
    ssa::JoinSets apart(PlacementAlgorithm::Adt, analyses, false, memory);
    for (int set = 0; set < 60; ++set) {
      std::vector<BlockId> definitions;
      uint32_t one_in = 1 + random() % 6;
      for (BlockId b : dominators.preorder()) {
        if (random() % one_in == 0) definitions.push_back(b);
      }
      if (definitions.empty()) continue;
      std::span<const BlockId> with = shared.of(definitions), without = apart.of(definitions);
      ASSERT_EQ(sorted({with.begin(), with.end()}), sorted({without.begin(), without.end()}));
    }
    ASSERT_EQ(shared.run() + shared.avoided(), apart.run());
  }
}

}  // namespace
}  // namespace psi
