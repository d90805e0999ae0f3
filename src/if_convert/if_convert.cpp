// If-conversion in psi-SSA: Stoutchinin and de Ferriere 2001, de Ferriere 2007; predicates as in Park and
// Schlansker 1991.
//
// A region is a set of blocks without a loop that control enters at one place. Its blocks are put one after
// the other into one block, each under a predicate that says whether control would have come to it
// (RegionPredicates), and its phis become psis of the predicates of the edges (Merges). What regions are
// tried, Hammocks and hyperblocks() say; what stands in the way, Legality; whether it pays, CostModel.
// duplicate_tails() copies blocks first, so that hyperblocks become larger.
//
// What was converted may make more worth it, so this is done again until nothing changes.
//
// Differs from the papers in that blocks which depend on many branches take their predicates from the edges
// that lead to them, so that long chains of branches do not grow quadratically.
#include "psi/if_convert.h"

#include <charconv>
#include <vector>

#include "if_convert/conversion_round.h"
#include "if_convert/cost.h"
#include "if_convert/hyperblocks.h"
#include "if_convert/tail_duplication.h"
#include "psi/transform.h"
#include "transform/merge_blocks.h"
#include "transform/thread_jumps.h"

namespace psi {
namespace {

using namespace if_conversion;

// Tries on another function, by BlockId, for which regions blocks are to be copied.
std::vector<uint8_t> pay_with_copies(const Function& function, const Target& target,
                                     const TailDuplicationLimits& limits) {
  Function trial = function;
  Analyses analyses(trial);
  Counters counters;
  duplicate_tails(trial, analyses, target, limits, counters, nullptr);
  std::vector<uint8_t> pay(function.num_blocks());
  Legality legality(trial, analyses, target, DeadEnds::Stay);
  CostModel costs(trial, analyses, target, legality);
  for (const Region& region : hyperblocks(trial, analyses, legality, limits.min_share)) {
    if (region.blocks.size() > kMaxEstimated) continue;
    pay[region.entry().index()] = costs.estimate(region).gain() > 0;
  }
  return pay;
}

// Jumps to blocks that only jump on, or whose way on they decide, go there: what is in nobody's way then can
// be in a region.
void thread_jumps(Function& function, Analyses& analyses, Counters& counters) {
  std::span<const BlockId> order = analyses.order().reverse_post_order();
  transform::JumpThreading jumps(function, analyses, transform::ThreadThrough::EmptyAndDecided);
  for (size_t i = order.size(); i-- > 0;) jumps.thread(order[i]);
  if (jumps.num_threaded() == 0) return;
  counters.add("jumps threaded", jumps.num_threaded());
  analyses.drop(Keeps::Nothing);
  dce_unreachable(function, analyses, counters);
  analyses.drop(Keeps::Nothing);
  transform::merge_blocks(function, analyses, counters);
}

}  // namespace

void if_convert(Function& function, Analyses& analyses, const Target& target, const IfConvertOptions& options,
                Counters& counters, Remarks* remarks) {
  if (can_convert(target)) thread_jumps(function, analyses, counters);
  if (options.regions == IfConvertOptions::Regions::Hyperblocks && options.duplicate > 0 &&
      can_convert(target)) {
    TailDuplicationLimits limits{options.duplicate, shares(options).front(), {}};
    if (options.mode == IfConvertOptions::Mode::Cost)
      limits.may_grow = pay_with_copies(function, target, limits);
    duplicate_tails(function, analyses, target, limits, counters, remarks);
  }
  Progress progress;
  while (convert_regions(function, analyses, target, options, progress, counters, remarks)) {
  }
}

void if_convert(PassContext& context) {
  size_t blocks = context.function.layout().size();
  dce_unreachable(context);
  if (context.function.layout().size() < blocks) context.analyses.drop(Keeps::Nothing);
  IfConvertOptions options;
  if (context.arguments["mode"] == "all") options.mode = IfConvertOptions::Mode::All;
  if (context.arguments["regions"] == "hyperblocks") options.regions = IfConvertOptions::Regions::Hyperblocks;
  auto number = [&](std::string_view name, uint32_t& value) {
    std::string_view text = context.arguments[name];
    std::from_chars(text.data(), text.data() + text.size(), value);
  };
  number("duplicate", options.duplicate);
  // `any` is no number.
  number("size", options.size);
  number("count", options.count);
  if_convert(context.function, context.analyses, context.target(), options, context.counters,
             context.remarks);
}

std::vector<PassOption> if_convert_options() {
  return {{.name = "mode",
           .values = {"cost", "all"},
           .summary = "convert where the target needs fewer cycles, or wherever it is right"},
          {.name = "regions",
           .values = {"hammocks", "hyperblocks"},
           .summary = "convert what lies between a branch and where its sides meet, or also what is left in "
                      "several places"},
          {.name = "duplicate",
           .values = {"0", "8", "16", "32", "64"},
           .summary = "instructions that may be copied for one hyperblock, where control also comes from "
                      "elsewhere"},
          {.name = "size",
           .values = {"any", "20", "100", "500", "1000", "2000", "4000"},
           .summary = "instructions that a block may come to have"},
          {.name = "count",
           .values = {"any", "1", "10", "100", "1000"},
           .summary = "regions that are converted in one function"}};
}

}  // namespace psi
