// Boissinot, Darte, Rastello, de Dinechin, Guillon: "Revisiting out-of-SSA translation for correctness, code
// quality, and efficiency", 2009.
//
//     @loop: x = phi [@entry: a], [@loop: b]          @entry: a' = a
//                                                     @loop:  x' = phi [@entry: a'], [@loop: b']
//            b = add x, 1                      ==>            x = x'
//            br p, @loop, @exit                               b = add x, 1
//                                                             b' = b                a, a', x', x, b', b:
//                                                             br p, @loop, @exit    one register
//
// Copies isolate every phi, so that its own registers may be merged; then copies are coalesced, those
// executed most often first, by uniting the webs at their ends unless they interfere. Registers of the same
// value do not interfere. There is no interference graph: webs are sorted (sorted_webs.h).
//
// Departs from the paper in that copies at a block's end stand above its terminators, which may read anything
// (there it is a remedy for branches that write a register); in that psis are webs from the start, and
// conditions may prevent interference; and in that the order of copies is that of estimated frequencies
// alone.
//
// Time: live ranges; for each copy the size of the smaller of the two webs, times the logarithm of that of
// the larger, and the pairs of their members that are live together.
#include <algorithm>
#include <utility>

#include "destruct/coalesce.h"
#include "destruct/finish.h"
#include "destruct/isolate.h"
#include "destruct/methods.h"
#include "live/sorted_webs.h"
#include "psi/analysis/dominators.h"

namespace psi::destruct {

using namespace live;

void translate_boissinot(Translation& t) {
  StepClock clock(t.times);
  isolate_phis(t.function, t.analyses, PhiCopies::ArgumentsAndResults, t.copies);
  t.copies.apply();
  t.analyses.drop(Keeps::ControlFlow);
  unite_ties(t.function, t.analyses.get<Dominators>(), t.webs);
  clock.end("isolation");

  std::vector<Affinity> affinities = collect_affinities(t.function, t.analyses);
  RangeConditions conditions(t.function, t.analyses, t.options.predicates);
  std::vector<uint8_t> wanted = registers_in_webs(t.function, t.webs, affinities);
  LiveRanges ranges(t.function, t.analyses, t.copies.parallel(), conditions, std::move(wanted),
                    LiveRanges::Split::Nowhere);
  clock.end("live ranges");

  SegmentInterference segments(ranges, conditions, t.options.values);
  SortedWebs webs(segments, t.analyses.get<Dominators>(), conditions.any_guards(), t.options.values, t.webs);
  for (const Affinity& affinity : affinities) {
    if (t.webs.same(affinity.target, affinity.source)) continue;
    if (!webs.interfere(affinity.target, affinity.source)) webs.unite(affinity.target, affinity.source);
  }
  clock.end("coalescing");
  t.counters.add("liveness and interference bytes",
                 std::max(ranges.peak_memory(), ranges.memory() + segments.memory() + webs.memory()));
}

}  // namespace psi::destruct
