#include "predication/if_convert/conversion_iteration.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cfg/merge_blocks.h"
#include "predication/if_convert/block_sizes.h"
#include "predication/if_convert/chosen_regions.h"
#include "predication/if_convert/conversion.h"
#include "predication/if_convert/cost.h"
#include "predication/if_convert/hammocks.h"
#include "predication/if_convert/hyperblocks.h"
#include "predication/if_convert/predicate_code.h"
#include "predication/if_convert/words.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/order.h"
#include "psi/ir/views.h"

namespace psi::predication {
namespace {

// The most iterations of conversion.
constexpr int kMaxConversionIterations = 8;

UnreachableEnds unreachable_ends(const Function& function, int iteration) {
  if (iteration > 0) return UnreachableEnds::Stay;
  for (BlockId b : function.layout()) {
    for (InstId id : function.insts(b)) {
      if (function.inst(id).guard || function.inst(id).is_psi()) return UnreachableEnds::Stay;
    }
  }
  return UnreachableEnds::Join;
}

class ConversionIteration {
 public:
  ConversionIteration(Function& function, Analyses& analyses, const Target& target,
                      const IfConvertOptions& options, Progress& progress, Counters& counters,
                      Remarks* remarks)
      : function_(function),
        analyses_(analyses),
        target_(target),
        options_(options),
        progress_(progress),
        counters_(counters),
        remarks_(remarks),
        is_last_(progress.iterations == kMaxConversionIterations),
        legality_(function, analyses, target, unreachable_ends(function, progress.iterations)),
        costs_(function, analyses, target, legality_),
        sizes_(function, analyses.get<Cfg>()),
        chosen_(function.num_blocks()),
        is_refused_(function.num_blocks()) {}

  // False if nothing was converted; then the remarks say why.
  bool run() {
    if (can_convert(target_)) {
      find_regions();
    } else {
      refuse_all();
    }
    std::vector<ChosenRegion> chosen = chosen_.take();
    if (is_last_) give_up(chosen);
    if (chosen.empty()) {
      for (auto& [terminator, why] : refused_) remarks_->refused(function_, terminator, std::move(why));
      return false;
    }
    std::vector<BlockId> entries;
    for (const ChosenRegion& region : chosen) {
      entries.push_back(region.region.entry());
      if (remarks_) accept(region);
    }
    for (const ChosenRegion& region : chosen)
      convert(function_, analyses_, target_, legality_, region.region, counters_);
    drop_blocks(entries);
    if (uint64_t removed = remove_unread_predicates(function_, entries))
      counters_.add("unread predicates removed", removed);
    ++progress_.iterations;
    progress_.regions += static_cast<uint32_t>(chosen.size());
    cfg::merge_blocks(function_, analyses_, counters_);
    return true;
  }

 private:
  // --- Which regions --------------------------------------------------------------------------------------

  void refuse_all() {
    for (BlockId b : analyses_.get<Order>().reverse_post_order()) {
      if (is_branch(b)) refuse(b, fmt::format("{} has neither guards nor selects", target_.name));
    }
  }

  void find_regions() {
    if (options_.regions == IfConvertOptions::Regions::Hyperblocks) {
      find_hyperblocks();
    }
    Hammocks hammocks(function_, analyses_, legality_);
    std::span<const BlockId> order = analyses_.get<Dominators>().preorder();
    bool by_cost = options_.mode == IfConvertOptions::Mode::Cost;
    // In loops, regions are compared with those inside them.
    for (size_t i = order.size(); i-- > 0;) {
      if (by_cost && costs_.is_in_small_loop(order[i])) consider(hammocks, order[i]);
    }
    // Elsewhere the outermost profitable region: a rejected one may have others inside.
    for (BlockId b : order) {
      if (!by_cost || !costs_.is_in_small_loop(b)) consider(hammocks, b);
    }
  }

  void consider(Hammocks& hammocks, BlockId b) {
    if (chosen_.contains(b) || !is_branch(b)) return;
    if (!hammocks.can_be_converted(b)) {
      if (remarks_) refuse(b, hammocks.obstacle(b));
      return;
    }
    // Without visiting each block, which would be quadratic for nested regions.
    if (!may_be_one_more(b) || !fits(b, hammocks.num_insts(b))) return;
    Region region = hammocks.region(b);
    bool is_free = costs_.is_in_small_loop(b) ? chosen_.are_inside(region) : chosen_.are_outside(region);
    if (!is_free || !fits(region) || !pays(region)) return;
    chosen_.drop_inside(region, [&](const Region& inner) { costs_.drop(inner); });
    choose(std::move(region));
  }

  void find_hyperblocks() {
    for (double probability : least_probabilities(options_)) {
      for (Region& region : hyperblocks(function_, analyses_, legality_, probability, chosen_.blocks())) {
        if (may_be_one_more(first_branch(region)) && shrink_until_it_pays(region)) choose(std::move(region));
      }
    }
  }

  // Any prefix of a region's blocks is a region, as each block comes after its predecessors.
  bool shrink_until_it_pays(Region& region) {
    while (!leaves_fewer_branches(region) || !fits(region) || !pays(region)) {
      if (options_.mode == IfConvertOptions::Mode::All) return false;
      region.blocks.resize(region.blocks.size() * 3 / 4);
      bool has_branch = std::ranges::any_of(region.blocks, [&](BlockId b) { return is_branch(b); });
      if (region.blocks.size() < 2 || !has_branch) return false;
    }
    return true;
  }

  bool is_branch(BlockId b) const {
    return analyses_.get<Cfg>().successors(b).size() > 1 || function_.terminators(b).size() > 1;
  }

  BlockId first_branch(const Region& region) const {
    return *std::ranges::find_if(region.blocks, [&](BlockId b) { return is_branch(b); });
  }

  // Without guarded branches each exit but the last takes a branch.
  bool leaves_fewer_branches(const Region& region) const {
    if (target_.can_guard(Opcode::Br)) return true;
    RegionGraph graph(function_, region);
    auto branches = std::ranges::count_if(region.blocks, [&](BlockId b) { return is_branch(b); });
    return graph.exits().size() <= static_cast<uint64_t>(branches);
  }

  bool may_be_one_more(BlockId branch) {
    if (options_.count == 0 || progress_.regions + chosen_.size() < options_.count) return true;
    if (remarks_) refuse(branch, fmt::format("no more regions than {} may be converted", options_.count));
    return false;
  }
  bool fits(BlockId branch, uint64_t num_insts) {
    if (options_.size == 0 || num_insts <= options_.size) return true;
    if (remarks_) refuse(branch, fmt::format("a block of {} instructions is too large", num_insts));
    return false;
  }
  bool fits(const Region& region) {
    return options_.size == 0 || fits(first_branch(region), sizes_.of(region));
  }

  bool pays(const Region& region) {
    bool is_wanted = options_.mode == IfConvertOptions::Mode::All;
    if (is_wanted && !remarks_) return true;
    figures_ = "its blocks are too many for an estimate";
    if (region.blocks.size() <= kMaxEstimated) {
      Estimate estimate = costs_.estimate(region);
      is_wanted = is_wanted || estimate.gain() > 0;
      if (!remarks_) return is_wanted;
      figures_ = fmt::format("{:.1f} cycles with branches, {:.1f} without (height {:.3g}, width {:.3g})",
                             estimate.with_branches, estimate.without, estimate.height, estimate.width);
      InstId branch = function_.terminators(first_branch(region)).back();
      if (std::optional<uint32_t> rate = function_.misprediction_rate(branch))
        figures_ += fmt::format("; mispredicted {} % of the time", *rate);
    }
    if (!is_wanted) refuse(first_branch(region), figures_);
    return is_wanted;
  }

  // It pays.
  void choose(Region region) {
    if (target_.out_of_order && options_.mode == IfConvertOptions::Mode::Cost) costs_.choose(region);
    sizes_.convert(region);
    chosen_.add(std::move(region), figures_);
  }

  // --- What is said of them -------------------------------------------------------------------------------

  void give_up(std::vector<ChosenRegion>& chosen) {
    for (const ChosenRegion& region : chosen) refuse(first_branch(region.region), "iteration limit reached");
    chosen.clear();
  }

  void accept(const ChosenRegion& chosen) {
    BlockId entry = chosen.region.entry();
    remarks_->done(function_, function_.terminators(entry).back(),
                   fmt::format("{} blocks from {} on converted for {}: {}", chosen.region.blocks.size(),
                               text_of(function_, entry), target_.name, chosen.why));
  }
  // The first of several reasons: that of a hyperblock comes before that of a hammock.
  void refuse(BlockId b, std::string_view why) {
    if (!remarks_ || is_refused_[b.index()]) return;
    is_refused_[b.index()] = 1;
    for (InstId id : function_.terminators(b)) {
      const Inst& inst = function_.inst(id);
      if (inst.guard || is_decision(inst))
        refused_.emplace_back(
            id, fmt::format("branch of {}{} kept: {}", text_of(function_, b), where(inst), why));
    }
  }
  // A block that ends in guarded branches has several.
  std::string where(const Inst& terminator) const {
    std::string text;
    if (!terminator.guard) return text;
    if (terminator.op == Opcode::Ret) return " to its return";
    function_.for_each_target(terminator, [&](BlockId to) { text += " to " + text_of(function_, to); });
    return text;
  }

  // --- Afterwards -----------------------------------------------------------------------------------------

  // All but the entries.
  void drop_blocks(std::span<const BlockId> entries) {
    std::vector<uint8_t> stays(function_.num_blocks());
    for (BlockId b : entries) stays[b.index()] = 1;
    std::vector<BlockId> layout;
    for (BlockId b : function_.layout()) {
      if (stays[b.index()] || !chosen_.contains(b)) layout.push_back(b);
    }
    function_.set_layout(std::move(layout));
    analyses_.drop(Keeps::Nothing);
  }

  Function& function_;
  Analyses& analyses_;
  const Target& target_;
  const IfConvertOptions& options_;
  Progress& progress_;
  Counters& counters_;
  Remarks* remarks_;
  bool is_last_;
  Legality legality_;
  CostModel costs_;
  BlockSizes sizes_;
  ChosenRegions chosen_;
  std::string figures_;              // of the last region that was estimated
  std::vector<uint8_t> is_refused_;  // by BlockId: there is a reason for its branch to stay
  std::vector<std::pair<InstId, std::string>> refused_;  // terminators, and why
};

}  // namespace

bool convert_regions(Function& function, Analyses& analyses, const Target& target,
                     const IfConvertOptions& options, Progress& progress, Counters& counters,
                     Remarks* remarks) {
  return ConversionIteration(function, analyses, target, options, progress, counters, remarks).run();
}

}  // namespace psi::predication
