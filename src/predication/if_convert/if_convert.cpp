// If-conversion in psi-SSA: Stoutchinin and de Ferriere 2001, de Ferriere 2007; predicates as in Park and
// Schlansker 1991.
//
// A region is an acyclic set of blocks with a single entry. Its blocks are concatenated into one block, each
// under a predicate that says whether control would have reached it (RegionPredicates), and its phis become
// psis of the predicates of the edges (Merges). Hammocks and hyperblocks() propose regions, Legality finds
// obstacles, CostModel decides. duplicate_tails() copies blocks first, so that hyperblocks become larger.
//
// A conversion may make others profitable, so the pass iterates until nothing changes.
//
// Differs from the papers in that blocks which depend on many branches take their predicates from their
// incoming edges, so that long chains of branches do not grow quadratically.
#include "psi/predication/if_convert.h"

#include <vector>

#include "cfg/merge_blocks.h"
#include "cfg/thread_jumps.h"
#include "predication/if_convert/conversion_iteration.h"
#include "predication/if_convert/cost.h"
#include "predication/if_convert/hyperblocks.h"
#include "predication/if_convert/tail_duplication.h"
#include "predication/if_convert/unmeasured.h"
#include "psi/analysis/order.h"
#include "psi/cfg/unreachable.h"

namespace psi {
namespace {

using namespace predication;

// Determines by a trial on a copy of the function, by BlockId, for which regions to copy blocks.
std::vector<uint8_t> pay_with_copies(const Function& function, const Target& target,
                                     const TailDuplicationLimits& limits) {
  Function trial = function;
  Analyses analyses(trial);
  Counters counters;
  duplicate_tails(trial, analyses, target, limits, counters, nullptr);
  std::vector<uint8_t> pay(function.num_blocks());
  Legality legality(trial, analyses, target, UnreachableEnds::Stay);
  CostModel costs(trial, analyses, target, legality);
  for (const Region& region : hyperblocks(trial, analyses, legality, limits.min_probability)) {
    if (region.blocks.size() > kMaxEstimated) continue;
    pay[region.entry().index()] = costs.estimate(region).gain() > 0;
  }
  return pay;
}

// Threads jumps through empty or decided blocks, which would otherwise have side entries and end regions.
void thread_jumps(Function& function, Analyses& analyses, Counters& counters) {
  std::span<const BlockId> order = analyses.get<Order>().reverse_post_order();
  cfg::JumpThreading jumps(function, analyses, cfg::ThreadThrough::EmptyAndDecided);
  for (size_t i = order.size(); i-- > 0;) jumps.thread(order[i]);
  if (jumps.num_threaded() == 0) return;
  counters.add("jumps threaded", jumps.num_threaded());
  analyses.drop(Keeps::Nothing);
  dce_unreachable(function, analyses, counters);
  analyses.drop(Keeps::Nothing);
  cfg::merge_blocks(function, analyses, counters);
}

}  // namespace

void if_convert(Function& function, Analyses& analyses, const Target& target, const IfConvertOptions& options,
                Counters& counters, Remarks* remarks) {
  if (can_convert(target)) thread_jumps(function, analyses, counters);
  std::vector<InstId> unmeasured;
  if (options.unmeasured == IfConvertOptions::Unmeasured::Unpredictable) {
    unmeasured = expect_mispredictions(function, analyses);
    if (!unmeasured.empty()) analyses.drop(Keeps::Nothing);
  }
  if (options.regions == IfConvertOptions::Regions::Hyperblocks && options.duplicate > 0 &&
      can_convert(target)) {
    TailDuplicationLimits limits{options.duplicate, least_probabilities(options).front(), {}};
    if (options.mode == IfConvertOptions::Mode::Cost)
      limits.may_grow = pay_with_copies(function, target, limits);
    duplicate_tails(function, analyses, target, limits, counters, remarks);
  }
  Progress progress;
  while (convert_regions(function, analyses, target, options, progress, counters, remarks)) {
  }
  forget_mispredictions(function, unmeasured);
  // Frequencies were those of the expected mispredictions.
  if (!unmeasured.empty()) analyses.drop(Keeps::Nothing);
}

void if_convert(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  IfConvertOptions options;
  if (context.arguments.word("mode") == "all") options.mode = IfConvertOptions::Mode::All;
  if (context.arguments.word("regions") == "hyperblocks")
    options.regions = IfConvertOptions::Regions::Hyperblocks;
  if (context.arguments.word("unmeasured") == "unpredictable")
    options.unmeasured = IfConvertOptions::Unmeasured::Unpredictable;
  options.duplicate = context.arguments.number("duplicate");
  options.size = context.arguments.number("size");
  options.count = context.arguments.number("count");
  if_convert(context.function, context.analyses, context.target(), options, context.counters,
             context.remarks);
}

std::vector<PassOption> if_convert_options() {
  constexpr uint32_t kMost = 1'000'000;
  return {
      PassOption::word("mode", {"cost", "all"},
                       "convert where the target needs fewer cycles, or wherever it is right"),
      PassOption::word("regions", {"hammocks", "hyperblocks"},
                       "convert what lies between a branch and where its sides meet, or also what is "
                       "left in several places"),
      PassOption::number("duplicate", {0, 256, 0},
                         "instructions that may be copied for one hyperblock, where control also comes "
                         "from elsewhere"),
      PassOption::word("unmeasured", {"guessed", "unpredictable"},
                       "unmeasured branches are mispredicted 15 % of the time at most, or half "
                       "of it"),
      PassOption::number("size", {0, kMost, 0}, "instructions that a block may come to have; 0: any number"),
      PassOption::number("count", {0, kMost, 0},
                         "regions that are converted in one function; 0: any number")};
}

}  // namespace psi
