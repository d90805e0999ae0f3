#include "psi/pipeline/representations.h"

#include "psi/analysis/cfg.h"
#include "psi/analysis/order.h"
#include "psi/analysis/regions.h"
#include "psi/destruct/destruct.h"

namespace psi {
namespace {

uint64_t size_out_of_ssa(Function function) {
  Analyses analyses(function);
  Counters counters;
  StepTimes times;
  destruct_ssa(function, analyses, {}, counters, times);
  uint64_t count = 0;
  for (BlockId b : function.layout()) count += function.insts(b).size();
  return count;
}

Representation with_branches(const Function& function, Analyses& analyses, std::span<const BlockId> blocks) {
  Representation sum{
      .name = "branches", .statistics = {}, .paths = 1, .destructed = size_out_of_ssa(function)};
  for (BlockId b : blocks) {
    BlockStatistics statistics = block_statistics(function, analyses, b);
    sum.statistics.instructions += statistics.instructions;
    sum.statistics.predicate += statistics.predicate;
    sum.statistics.psis += statistics.psis;
    sum.statistics.psi_arguments += statistics.psi_arguments;
    sum.statistics.height += statistics.height;
  }
  return sum;
}

Representation as_one_block(std::string name, Function function, BlockId entry,
                            const PredicatedSsaOptions& options) {
  Representation made{.name = std::move(name), .statistics = {}, .paths = 0, .destructed = 0};
  {
    Analyses analyses(function);
    Counters counters;
    for (const Hyperblock& block : make_hyperblocks(function, analyses, options, counters, entry)) {
      made.paths = block.paths;
    }
  }
  Analyses analyses(function);
  made.statistics = block_statistics(function, analyses, entry);
  made.destructed = size_out_of_ssa(std::move(function));
  return made;
}

}  // namespace

std::vector<RegionComparison> compare_representations(const Function& function,
                                                      const PredicatedSsaOptions& options, BlockId only) {
  Analyses analyses(function);
  Regions regions(analyses.get<Cfg>(), analyses.get<Order>());
  std::vector<RegionComparison> comparisons;
  for (uint32_t region = 0; region < regions.num_regions(); ++region) {
    std::span<const BlockId> blocks = regions.blocks(region);
    if (blocks.size() < 2 || (only && regions.region(only) != region)) continue;
    BlockId entry = regions.entry(region);
    comparisons.push_back({entry,
                           blocks.size(),
                           {with_branches(function, analyses, blocks),
                            as_one_block("psi-SSA", function, entry, {.max_paths = 1}),
                            as_one_block("predicated SSA", function, entry, options)}});
  }
  return comparisons;
}

}  // namespace psi
