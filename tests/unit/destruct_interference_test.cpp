// What the rival methods know of interference, against others that know it.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>

#include "destruct/coalesce.h"
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/phi_interference.h"
#include "destruct/phis.h"
#include "destruct/psi_steps.h"
#include "live/sorted_webs.h"
#include "live/web_interference.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/uses.h"
#include "psi/cfg/unreachable.h"
#include "psi/ir/builder.h"
#include "psi/live/liveness.h"
#include "psi/scramble/scramble.h"
#include "psi/ssa/construct.h"
#include "psi/testing/generate.h"
#include "testing/random.h"

namespace psi {
namespace {

using namespace destruct;
using namespace live;

// In SSA form, every block reachable, psis normalized and without interference.
template <class Visit>
void for_each_random_function(uint64_t num_programs, bool guards, Visit visit) {
  constexpr std::array kShapes = {Shape::Structured, Shape::Irreducible, Shape::Mixed};
  for (uint64_t seed = 0; seed < num_programs; ++seed) {
    GenerateOptions options;
    options.seed = seed;
    options.size = 20 + seed % 4 * 50;
    options.shape = kShapes[seed % kShapes.size()];
    options.guards = guards;
    Module module = generate(options);
    for (SymbolId symbol : module.declarations()) {
      if (module.kind(symbol) != SymbolKind::Function || module.function(symbol).is_declaration()) continue;
      Function& function = module.function(symbol);
      Analyses analyses(function);
      Counters counters;
      StepTimes times;
      dce_unreachable(function, analyses, counters);
      analyses.drop(Keeps::Nothing);
      ConstructOptions construction;
      construction.fold = seed % 2 == 0;
      construct(function, analyses, construction, counters, times);
      analyses.drop(Keeps::ControlFlow);
      ScrambleOptions scrambled;
      scrambled.seed = static_cast<uint32_t>(seed % 10);
      scramble_ssa(function, analyses, scrambled, counters);
      analyses.drop(Keeps::ControlFlow);
      Copies copies(function);
      isolate_partial_compares(function, analyses.get<Dominators>(), copies);
      copies.apply();
      analyses.drop(Keeps::ControlFlow);
      normalize_psis(function, analyses, {}, counters);
      make_psi_webs(function, analyses, {}, counters);
      SCOPED_TRACE(seed);
      visit(function, analyses, seed);
    }
  }
}

// Is one of the registers defined where the other is live, by a phi or otherwise, and with another value?
bool interfere(const LiveRanges& ranges, bool values, Reg a, Reg b) {
  if (values && ranges.value(a) == ranges.value(b)) return false;
  const Definition &of_a = ranges.definition(a), &of_b = ranges.definition(b);
  if (of_a.position == of_b.position) return true;
  auto is_live_at = [&](Reg r, const Definition& definition) {
    for (const LiveRange& range : ranges.of(r)) {
      for (const live::Segment& segment : ranges.segments(range)) {
        if (segment.is_live_after(definition.position)) return true;
      }
    }
    return false;
  };
  return is_live_at(a, of_b) || is_live_at(b, of_a);
}

// Two walks along the dominator tree find what a look at all pairs finds; with guards, what tables of
// segments do.
TEST(SortedWebs, FindsInterference) {
  uint64_t num_webs = 0, num_interfering = 0;
  for (bool guards : {false, true}) {
    for_each_random_function(200, guards, [&](Function& function, Analyses& analyses, uint64_t seed) {
      Copies copies(function);
      isolate_phis(function, analyses, PhiCopies::ArgumentsAndResults, copies);
      copies.apply();
      analyses.drop(Keeps::ControlFlow);
      Webs webs;
      unite_ties(function, analyses.get<Dominators>(), webs);
      std::vector<Affinity> affinities = collect_affinities(function, analyses);
      RangeConditions conditions(function, analyses, seed % 3 != 0);
      std::vector<uint8_t> wanted = registers_in_webs(function, webs, affinities);
      LiveRanges ranges(function, analyses, copies.parallel(), conditions, wanted);
      LiveRanges unsplit(function, analyses, copies.parallel(), conditions, wanted,
                         LiveRanges::Split::Nowhere);
      EXPECT_LE(unsplit.all_segments().size(), ranges.all_segments().size());
      bool values = seed % 2 == 0;
      SegmentInterference segments(ranges, conditions, values), unsplit_segments(unsplit, conditions, values);
      Webs other_webs = webs;
      SortedWebs sorted(unsplit_segments, analyses.get<Dominators>(), conditions.any_guards(), values, webs);
      WebInterference by_index(segments, other_webs);
      for (const Affinity& copy : affinities) {
        if (webs.same(copy.target, copy.source)) continue;
        bool expected = false;
        if (conditions.any_guards()) {
          expected = by_index.interfere(copy.target, copy.source);
        } else {
          webs.for_each_member(copy.target, [&](Reg a) {
            webs.for_each_member(copy.source,
                                 [&](Reg b) { expected = expected || interfere(ranges, values, a, b); });
          });
        }
        ASSERT_EQ(sorted.interfere(copy.target, copy.source), expected);
        ++num_webs;
        num_interfering += expected;
        if (expected) continue;
        sorted.unite(copy.target, copy.source);
        by_index.unite(copy.target, copy.source);
      }
    });
  }
  EXPECT_GT(num_webs, 5000u);
  EXPECT_GT(num_interfering, 1000u);
}

// Fifteen blocks in a tree, full of copies.
void add_tree_of_copies(Function& function, Random& random) {
  constexpr uint32_t kNumBlocks = 15;
  function.signature = {Type::i32, {Type::i1, Type::i32, Type::i32}, false};
  for (Type type : function.signature.params) function.params.push_back(function.add_reg(type));
  std::vector<BlockId> blocks;
  for (uint32_t i = 0; i < kNumBlocks; ++i) blocks.push_back(function.add_block());
  std::array<std::vector<Reg>, kNumBlocks> known;
  Builder builder(function);
  for (uint32_t i = 0; i < kNumBlocks; ++i) {
    known[i] = i == 0 ? std::vector(function.params.begin() + 1, function.params.end()) : known[(i - 1) / 2];
    builder.at(blocks[i]);
    for (uint32_t count = random.below(6); count > 0; --count) {
      Operand source = Operand::reg(random.element(known[i]));
      if (random.percent(80)) {
        known[i].push_back(builder.op(Opcode::Mov, Type::i32, {source}));
      } else {
        builder.op(Opcode::Neg, Type::i32, {source});
      }
    }
    if (2 * i + 2 < kNumBlocks) {
      builder.br(Operand::reg(function.params[0]), blocks[2 * i + 1], blocks[2 * i + 2]);
    } else {
      builder.ret(Operand::reg(random.element(known[i])));
    }
  }
  function.form = Form::Ssa;
}

// Where most is of the same value, it matters which equal ancestor is the nearest.
TEST(SortedWebs, FindsInterferenceAmongCopies) {
  uint64_t num_webs = 0, num_interfering = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Function function;
    add_tree_of_copies(function, random);
    Analyses analyses(function);
    Copies copies(function);
    RangeConditions conditions(function, analyses, true);
    Webs webs(function.num_regs());
    LiveRanges ranges(function, analyses, copies.parallel(), conditions,
                      std::vector<uint8_t>(function.num_regs(), 1));
    SegmentInterference segments(ranges, conditions, true);
    SortedWebs sorted(segments, analyses.get<Dominators>(), false, true, webs);
    for (uint32_t tries = 0; tries < 500; ++tries) {
      Reg a(random.below(function.num_regs())), b(random.below(function.num_regs()));
      if (webs.same(a, b)) continue;
      bool expected = false;
      webs.for_each_member(a, [&](Reg x) {
        webs.for_each_member(b, [&](Reg y) { expected = expected || interfere(ranges, true, x, y); });
      });
      ASSERT_EQ(sorted.interfere(a, b), expected);
      ++num_webs;
      num_interfering += expected;
      if (!expected) sorted.unite(a, b);
    }
  }
  EXPECT_GT(num_webs, 50'000u);
  EXPECT_GT(num_interfering, 10'000u);
}

// All that a graph knows, before any web is built.
class GraphOf {
 public:
  GraphOf(Function& function, Analyses& analyses, bool predicates)
      : copies(function),
        webs(function.num_regs()),
        translation{function, analyses, options(predicates), copies, webs, counters, times},
        graph(phi_interference(translation, std::vector<uint8_t>(function.num_regs(), 1))) {}

  const DestructOptions& options(bool predicates) {
    options_.predicates = predicates;
    return options_;
  }

  DestructOptions options_;
  Copies copies;
  Webs webs;
  Counters counters;
  StepTimes times;
  Translation translation;
  InterferenceGraph graph;
};

bool is_defined(const Uses& uses, Reg r) { return uses.definition(r) || uses.is_param(r); }

bool reads(const Function& function, InstId id, Reg r) {
  if (function.inst(id).guard && function.inst(id).guard.reg() == r) return true;
  for (Operand operand : function.operands(id)) {
    if (operand.reads_reg() && operand.reg() == r) return true;
  }
  return false;
}

TEST(InterferenceGraph, LiveSetsAreThoseOfLiveness) {
  uint64_t num_live = 0;
  for_each_random_function(100, false, [&](Function& function, Analyses& analyses, uint64_t) {
    GraphOf of(function, analyses, true);
    const Liveness& liveness = analyses.get<Liveness>();
    const Uses& uses = analyses.get<Uses>();
    for (uint32_t i = 0; i < function.num_regs(); ++i) {
      Reg r(i);
      if (!is_defined(uses, r)) continue;
      InstId definition = uses.definition(r);
      bool is_phi = definition && function.inst(definition).is_phi();
      for (BlockId b : function.layout()) {
        bool is_here = is_phi && uses.block(definition) == b;
        bool at_head = liveness.live_in(b, r) || (is_here && !uses.uses(r).empty());
        bool at_end = liveness.live_out(b, r);
        for (InstId id : function.terminators(b)) at_end = at_end || reads(function, id, r);
        ASSERT_EQ(of.graph.is_live_at_head(b, r), at_head);
        ASSERT_EQ(of.graph.is_live_at_end(b, r), at_end);
        num_live += at_head;
      }
    }
  });
  EXPECT_GT(num_live, 10'000u);
}

TEST(InterferenceGraph, EdgesAreThoseOfWebInterference) {
  uint64_t num_edges = 0;
  for (bool guards : {false, true}) {
    for_each_random_function(60, guards, [&](Function& function, Analyses& analyses, uint64_t seed) {
      GraphOf of(function, analyses, seed % 3 != 0);
      const Uses& uses = analyses.get<Uses>();
      std::set<std::pair<Reg, Reg>> edges, expected;
      for (uint32_t r = 0; r < function.num_regs(); ++r) {
        if (!is_defined(uses, Reg(r))) continue;
        of.graph.for_each_edge(Reg(r), [&](Reg a, Reg b) { edges.emplace(a, b); });
      }
      RangeConditions conditions(function, analyses, seed % 3 != 0);
      LiveRanges ranges(function, analyses, of.copies.parallel(), conditions,
                        std::vector<uint8_t>(function.num_regs(), 1));
      SegmentInterference segments(ranges, conditions, false);
      WebInterference interference(segments, of.webs);
      for (uint32_t a = 0; a < function.num_regs(); ++a) {
        for (uint32_t b = 0; b < function.num_regs(); ++b) {
          if (a != b && interference.interfere(Reg(a), Reg(b))) expected.emplace(a, b);
        }
      }
      // A phi counts as a write.
      for (BlockId b : function.layout()) {
        for_each_phi(function, b, [&](InstId phi) {
          Reg result = function.inst(phi).results[0];
          for (uint32_t r = 0; r < function.num_regs(); ++r) {
            if (Reg(r) == result || !is_defined(uses, Reg(r)) || !of.graph.is_live_at_head(b, Reg(r)))
              continue;
            expected.emplace(result, r);
            expected.emplace(r, result);
          }
        });
      }
      ASSERT_EQ(edges, expected);
      num_edges += edges.size();
    });
  }
  EXPECT_GT(num_edges, 10'000u);
}

}  // namespace
}  // namespace psi
